// The memories whose tasks are most similar to the task of this memory, with an action to merge.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { errorMessage } from "../../api/errors";
import { neighboursQuery } from "../../api/memories";
import { shown } from "../../parts/reveal";
import { fixed } from "../../parts/time";
import { t } from "../../texts";
import { StatusChips } from "../memories/StatusChips";
import { MemoryValue } from "../memories/MemoryValue";
import { Block } from "./Block";

export function SimilarMemories(props: {
  project: string;
  memory: string;
  onMerge: ((neighbour: string) => void) | null;
}) {
  const { data, error } = useQuery(neighboursQuery(props.project, props.memory));
  const { onMerge } = props;
  const { similar: texts } = t.memory;
  return (
    <Block title={texts.title} about={texts.about}>
      {error === null ? null : <p className="text-fail">{errorMessage(error)}</p>}
      {data?.length === 0 ? <p className="text-sm text-soft">{texts.none}</p> : null}
      <ul className="flex flex-col">
        {data?.map((neighbour) => (
          <li key={neighbour.id} className="border-t border-line py-1.5 text-sm first:border-t-0">
            <div className="flex items-start gap-2">
              <span className="w-9 shrink-0" title={texts.similarity}>
                {texts.similar(fixed(neighbour.similarity))}
              </span>
              <Link
                className="line-clamp-2 min-w-0 flex-1 hover:underline"
                to="/p/$project/memories/$memory"
                params={{ project: props.project, memory: neighbour.id }}
              >
                {shown(neighbour.reflection.split("\n", 1)[0] ?? "") || t.memories.noText}
              </Link>
              {onMerge !== null && (neighbour.status === "active" || neighbour.status === "quarantined") ? (
                <button type="button" className="btn btn-small" onClick={() => onMerge(neighbour.id)}>
                  {texts.merge(shown(neighbour.task))}
                </button>
              ) : null}
            </div>
            <p className="truncate ps-11 text-xs text-soft">{shown(neighbour.task)}</p>
            <div className="flex min-w-0 flex-col items-start gap-1 ps-11">
              {neighbour.status === "active" ? null : <StatusChips memory={neighbour} />}
              <MemoryValue project={props.project} id={neighbour.id} row />
            </div>
          </li>
        ))}
      </ul>
    </Block>
  );
}
