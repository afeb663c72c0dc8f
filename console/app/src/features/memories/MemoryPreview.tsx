// A memory preview beside the list.
import { useQuery } from "@tanstack/react-query";
import { errorMessage } from "../../api/errors";
import { memoryQuery } from "../../api/memories";
import { Key } from "../../keys/Key";
import { useKeys } from "../../keys/KeyProvider";
import { LessonValue } from "../../parts/LessonValue";
import { PreviewPanel } from "../../parts/PreviewPanel";
import { pathOf } from "../../parts/RowLink";
import { SourceBadge } from "../../parts/SourceBadge";
import { RunText } from "../../parts/RunText";
import { t } from "../../texts";
import { LessonText } from "./LessonText";
import { StatusChips } from "./StatusChips";
import { pinVerb, presenceVerb, quarantineVerb } from "./labels";

export function MemoryPreview(props: { project: string; memory: string; onClose: () => void }) {
  const { data: memory, error } = useQuery(memoryQuery(props.project, props.memory));
  const { run } = useKeys();
  const { verbs, memory: label, task, value } = t.memories;
  const button = (action: string, verb: keyof typeof verbs | null, key: string) =>
    verb === null ? null : (
      <button type="button" className="btn btn-small" onClick={() => run(action)}>
        {verbs[verb]} <Key name={key} />
      </button>
    );
  return (
    <PreviewPanel
      path={pathOf(props.project, "memories", props.memory)}
      label={label}
      onClose={props.onClose}
    >
      {error === null ? null : <p className="text-fail">{errorMessage(error)}</p>}
      {memory === undefined ? null : (
        <>
          <p className="flex flex-wrap gap-2">
            {memory.status === "erased" ? null : button("edit", "edit", "e")}
            {button("disable", presenceVerb(memory), "d")}
            {button("pin", pinVerb(memory), "p")}
            {button("quarantine", quarantineVerb(memory), "q")}
          </p>
          <p className="flex flex-wrap items-center gap-1">
            <StatusChips memory={memory} /> <SourceBadge success={memory.success} />
          </p>
          <section>
            <h2>{task}</h2>
            <RunText text={memory.task} lines={8} words />
          </section>
          <LessonText lesson={memory} />
          <section>
            <h2>{value}</h2>
            <LessonValue of={memory} />
          </section>
        </>
      )}
    </PreviewPanel>
  );
}
