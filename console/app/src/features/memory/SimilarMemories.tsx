// The memories whose tasks are most similar to the task of this memory, with an action to merge.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { errorMessage } from "../../api/errors";
import { neighboursQuery } from "../../api/memories";
import { shown } from "../../parts/reveal";
import { StatusChips } from "../memories/StatusChips";
import { ValueWithCount } from "../memories/Credit";
import { Block } from "./Block";

export function SimilarMemories(props: {
  project: string;
  memory: string;
  onMerge: ((neighbour: string) => void) | null;
}) {
  const { data, error } = useQuery(neighboursQuery(props.project, props.memory));
  const { onMerge } = props;
  return (
    <Block title="Similar memories" about="by task">
      {error === null ? null : <p className="text-fail">{errorMessage(error)}</p>}
      {data?.length === 0 ? (
        <p className="text-sm text-soft">No similar memory, or this memory has no vector.</p>
      ) : null}
      <ul className="flex flex-col">
        {data?.map((neighbour) => (
          <li key={neighbour.id} className="border-t border-line py-1.5 text-sm first:border-t-0">
            <div className="flex items-start gap-2">
              <span className="w-9 shrink-0" title="Similarity">
                {neighbour.similarity.toFixed(2)}
                <span className="sr-only"> similar</span>
              </span>
              <Link
                className="line-clamp-2 min-w-0 flex-1 hover:underline"
                to="/p/$project/memories/$memory"
                params={{ project: props.project, memory: neighbour.id }}
              >
                {shown(neighbour.reflection.split("\n", 1)[0] ?? "") || "(no text)"}
              </Link>
              {onMerge !== null && (neighbour.status === "active" || neighbour.status === "quarantined") ? (
                <button type="button" className="btn btn-small" onClick={() => onMerge(neighbour.id)}>
                  Merge<span className="sr-only"> with {shown(neighbour.task)}</span>
                </button>
              ) : null}
            </div>
            <p className="truncate ps-11 text-xs text-soft">{shown(neighbour.task)}</p>
            <p className="flex flex-wrap gap-x-2 ps-11 text-xs text-soft">
              {neighbour.status === "active" ? null : <StatusChips memory={neighbour} />}
              <span>
                credit <ValueWithCount value={neighbour.credit} n={neighbour.evidence} />
              </span>
            </p>
          </li>
        ))}
      </ul>
    </Block>
  );
}
