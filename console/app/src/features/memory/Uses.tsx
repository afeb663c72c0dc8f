// The reviewed runs that used a memory.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { errorMessage } from "../../api/errors";
import { type StoredMemory, usesQuery } from "../../api/memories";
import { Outcome } from "../../parts/Outcome";
import { shown } from "../../parts/reveal";
import { fixed, Time } from "../../parts/time";
import { t } from "../../texts";
import { Block } from "./Block";

export function Uses(props: { project: string; memory: StoredMemory }) {
  const { memory } = props;
  const { uses: texts } = t.memory;
  const { columns } = texts;
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(
    usesQuery(props.project, memory.id),
  );
  const uses = data?.pages.flatMap((page) => page.uses) ?? [];
  return (
    <Block
      title={texts.title}
      about={memory.last_used == null ? undefined : texts.lastUsed(memory.last_used)}
    >
      {error === null ? null : <p className="text-fail">{errorMessage(error)}</p>}
      {data !== undefined && uses.length === 0 ? <p className="text-sm text-soft">{texts.none}</p> : null}
      {uses.length === 0 ? null : (
        <div className="overflow-x-auto">
          <table className="w-full table-fixed text-sm md:min-w-[36rem]">
            <thead>
              <tr className="text-xs text-soft">
                <th scope="col" className="w-16 py-1 text-start font-semibold">
                  {columns.when}
                </th>
                <th scope="col" className="px-2 text-start font-semibold">
                  {columns.task}
                </th>
                <th scope="col" className="w-16 px-2 text-start font-semibold">
                  {columns.result}
                </th>
                <th scope="col" className="w-16 px-2 text-start font-semibold max-md:hidden">
                  {columns.used}
                </th>
                <th scope="col" className="w-12 px-2 text-end font-semibold max-md:hidden">
                  {columns.rank}
                </th>
                <th scope="col" className="w-20 px-2 text-end font-semibold max-md:hidden">
                  {columns.similarity}
                </th>
                <th scope="col" className="w-28 text-end font-semibold max-md:hidden">
                  {columns.qValue}
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
                      <span className="text-soft">{texts.runGone}</span>
                    ) : (
                      <Link
                        className="hover:underline"
                        to="/p/$project/traces/$trace"
                        params={{ project: props.project, trace: use.trace_id }}
                      >
                        {shown(use.task ?? t.memories.noTask)}
                      </Link>
                    )}
                  </td>
                  <td className="px-2">
                    <Outcome result={use.result} />
                  </td>
                  <td className="px-2 text-soft max-md:hidden">
                    {use.used == null ? texts.unknown : use.used ? texts.yes : texts.no}
                  </td>
                  <td className="px-2 text-end max-md:hidden">{use.rank ?? "–"}</td>
                  <td className="px-2 text-end max-md:hidden">
                    {use.similarity == null ? "–" : fixed(use.similarity)}
                  </td>
                  <td className="whitespace-nowrap text-end max-md:hidden">
                    {fixed(use.q_before)} → {fixed(use.q_after)}
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
          {texts.all}
        </Link>
      </p>
      {hasNextPage ? (
        <button
          type="button"
          className="btn btn-small self-start"
          disabled={isFetching}
          onClick={() => void fetchNextPage()}
        >
          {texts.earlier}
        </button>
      ) : null}
    </Block>
  );
}
