// The memories nearest to one, to be compared and merged.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { words } from "../../api/failure";
import { neighboursQuery } from "../../api/memories";
import { shown } from "../../parts/reveal";
import { StatusChips } from "../memories/StatusChips";
import { WithN } from "../memories/Worth";
import { Block } from "./Block";

export function Neighbours(props: {
  project: string;
  memory: string;
  onMerge: ((neighbour: string) => void) | null;
}) {
  const { data, error } = useQuery(neighboursQuery(props.project, props.memory));
  const { onMerge } = props;
  return (
    <Block title="Neighbours" about="nearest by task">
      {error === null ? null : <p className="text-fail">{words(error)}</p>}
      {data?.length === 0 ? <p className="text-sm text-soft">None is near, or it has no vector.</p> : null}
      <ul className="flex flex-col">
        {data?.map((near) => (
          <li key={near.id} className="border-t border-line py-1.5 text-sm first:border-t-0">
            <div className="flex items-start gap-2">
              <span className="w-9 shrink-0" title="Similarity">
                {near.similarity.toFixed(2)}
                <span className="sr-only"> similar</span>
              </span>
              <Link
                className="line-clamp-2 min-w-0 flex-1 hover:underline"
                to="/p/$project/memories/$memory"
                params={{ project: props.project, memory: near.id }}
              >
                {shown(near.reflection.split("\n", 1)[0] ?? "") || "(no text)"}
              </Link>
              {onMerge !== null && (near.status === "active" || near.status === "quarantined") ? (
                <button type="button" className="btn btn-small" onClick={() => onMerge(near.id)}>
                  Merge<span className="sr-only"> with {shown(near.task)}</span>
                </button>
              ) : null}
            </div>
            <p className="truncate ps-11 text-xs text-soft">{shown(near.task)}</p>
            <p className="flex flex-wrap gap-x-2 ps-11 text-xs text-soft">
              {near.status === "active" ? null : <StatusChips memory={near} />}
              <span>
                credit <WithN value={near.credit} n={near.evidence} />
              </span>
            </p>
          </li>
        ))}
      </ul>
    </Block>
  );
}
