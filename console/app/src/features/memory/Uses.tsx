// The reviewed runs that used a memory.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { errorMessage } from "../../api/errors";
import { type StoredMemory, usesQuery } from "../../api/memories";
import { Outcome } from "../../parts/Outcome";
import { shown } from "../../parts/reveal";
import { percent, Time } from "../../parts/time";
import { Block } from "./Block";

export function Uses(props: { project: string; memory: StoredMemory }) {
  const { memory } = props;
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(
    usesQuery(props.project, memory.id),
  );
  const uses = data?.pages.flatMap((page) => page.uses) ?? [];
  return (
    <Block
      title="Runs that used it"
      about={
        memory.reviews === 0
          ? undefined
          : `${percent(memory.passes / memory.reviews)} passed, n = ${memory.reviews.toLocaleString()}; correlation, not causation`
      }
    >
      {error === null ? null : <p className="text-fail">{errorMessage(error)}</p>}
      {data !== undefined && uses.length === 0 ? (
        <p className="text-sm text-soft">No reviewed run has used it yet.</p>
      ) : null}
      {uses.length === 0 ? null : (
        <div className="overflow-x-auto">
          <table className="w-full min-w-[36rem] table-fixed text-sm">
            <thead>
              <tr className="text-xs text-soft">
                <th scope="col" className="w-16 py-1 text-start font-semibold">
                  When
                </th>
                <th scope="col" className="px-2 text-start font-semibold">
                  Task
                </th>
                <th scope="col" className="w-16 px-2 text-start font-semibold">
                  Result
                </th>
                <th scope="col" className="w-16 px-2 text-start font-semibold">
                  Used
                </th>
                <th scope="col" className="w-12 px-2 text-end font-semibold">
                  Rank
                </th>
                <th scope="col" className="w-20 px-2 text-end font-semibold">
                  Similarity
                </th>
                <th scope="col" className="w-28 text-end font-semibold">
                  q_value
                </th>
              </tr>
            </thead>
            <tbody>
              {uses.map((use) => (
                <tr key={use.review_id} className="border-t border-line">
                  <td className="py-1 text-soft">
                    <Time at={use.at} />
                  </td>
                  <td className="truncate px-2">
                    {use.trace_id == null ? (
                      <span className="text-soft">the run is no longer stored</span>
                    ) : (
                      <Link
                        className="hover:underline"
                        to="/p/$project/traces/$trace"
                        params={{ project: props.project, trace: use.trace_id }}
                      >
                        {shown(use.task ?? "(no task)")}
                      </Link>
                    )}
                  </td>
                  <td className="px-2">
                    <Outcome result={use.result} />
                  </td>
                  <td className="px-2 text-soft">{use.used == null ? "unknown" : use.used ? "yes" : "no"}</td>
                  <td className="px-2 text-end">{use.rank ?? "–"}</td>
                  <td className="px-2 text-end">{use.similarity?.toFixed(2) ?? "–"}</td>
                  <td className="whitespace-nowrap text-end">
                    {use.q_before.toFixed(2)} → {use.q_after.toFixed(2)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p className="text-sm">
        <Link
          className="link"
          to="/p/$project/traces"
          params={{ project: props.project }}
          search={{ q: `mem:${memory.id}` }}
        >
          All runs that used it, reviewed or not
        </Link>
      </p>
      {hasNextPage ? (
        <button
          type="button"
          className="btn btn-small self-start"
          disabled={isFetching}
          onClick={() => void fetchNextPage()}
        >
          Show earlier runs
        </button>
      ) : null}
    </Block>
  );
}
