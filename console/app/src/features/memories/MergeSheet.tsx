// Merges several memories into one: shows them side by side. The user chooses which one is kept and may edit
// its text.
import { useMutation, useQueries, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Heading } from "react-aria-components";
import { errorMessage } from "../../api/errors";
import { memoryQuery, mergeMemories, type MemoryDetail } from "../../api/memories";
import { LessonValue } from "../../parts/LessonValue";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { Overlay } from "../../shell/Overlay";
import { t } from "../../texts";
import { StatusChips } from "./StatusChips";
import { useMemoryActions } from "./useMemoryActions";
import { oneLine } from "./labels";
import { type Draft, draftOf, editOf, validateDraft } from "./lesson";
import { LessonForm } from "./LessonForm";
import { LessonText } from "./LessonText";

export function MergeSheet(props: {
  project: string;
  /** At least two. The first one is kept unless the user chooses another. */
  ids: readonly string[];
  onClose: (merged: boolean) => void;
}) {
  const { project, ids } = props;
  const { merge: texts, cancel, done: doneTexts } = t.memories;
  const actions = useMemoryActions(project);
  const client = useQueryClient();
  const found = useQueries({ queries: ids.map((id) => memoryQuery(project, id)) });
  const memories = found.flatMap((one) => (one.data === undefined ? [] : [one.data]));
  const [survivor, setSurvivor] = useState(ids[0] ?? "");
  const [draft, setDraft] = useState<Draft | null>(null);
  const kept = memories.find((memory) => memory.id === survivor);
  const edit = draft === null || kept === undefined ? null : editOf(draftOf(kept), draft);
  const problem = draft === null ? null : validateDraft(draft);
  const others = ids.filter((id) => id !== survivor);
  const merge = useMutation({
    mutationFn: () => {
      const text = edit === null ? {} : { text: { ...edit, version: kept?.version ?? null } };
      return mergeMemories(project, { survivor_id: survivor, memory_ids: others, ...text });
    },
    onSuccess: (done) => {
      actions.reportDone(doneTexts.merge(ids.length), done, ids);
      void client.invalidateQueries({ queryKey: [project, "memory-rows"] });
      props.onClose(true);
    },
  });
  const failure = found.find((one) => one.error !== null)?.error ?? merge.error;
  const ready = kept !== undefined && memories.length === ids.length && problem === null && !merge.isPending;
  return (
    <Overlay label={texts.label} wide onClose={() => props.onClose(false)}>
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) merge.mutate();
        }}
      >
        <div className="flex min-h-0 flex-col gap-3 overflow-y-auto p-4">
          <Heading slot="title" level={2} className="text-base font-semibold text-ink">
            {texts.title(ids.length)}
          </Heading>
          <p className="text-soft">{texts.about}</p>
          <fieldset className="grid gap-3 md:grid-cols-2">
            <legend className="sr-only">{texts.which}</legend>
            {memories.map((memory) => (
              <Choice
                key={memory.id}
                memory={memory}
                stays={memory.id === survivor}
                onChoose={() => {
                  setSurvivor(memory.id);
                  setDraft(null);
                }}
              />
            ))}
          </fieldset>
          {draft === null ? (
            <button
              type="button"
              className="btn self-start"
              disabled={kept === undefined}
              onClick={() => kept !== undefined && setDraft(draftOf(kept))}
            >
              {texts.edit}
            </button>
          ) : (
            <LessonForm draft={draft} onChange={setDraft} />
          )}
        </div>
        <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line p-3">
          <p role="alert" className="me-auto text-sm text-fail">
            {failure == null ? problem : errorMessage(failure)}
          </p>
          <button type="button" className="btn" onClick={() => props.onClose(false)}>
            {cancel}
          </button>
          <button type="submit" className="btn btn-primary" disabled={!ready}>
            {texts.submit(others.length)}
          </button>
        </footer>
      </form>
    </Overlay>
  );
}

function Choice(props: { memory: MemoryDetail; stays: boolean; onChoose: () => void }) {
  const { memory } = props;
  const { merge: texts, task } = t.memories;
  return (
    <div className={`card flex flex-col gap-2 p-3 ${props.stays ? "border-accent" : ""}`}>
      <label className="flex items-center gap-2 font-semibold">
        <input
          type="radio"
          name="survivor"
          className="h-4 w-4 accent-accent"
          checked={props.stays}
          onChange={props.onChoose}
        />
        {props.stays ? texts.kept : texts.mergedInto}
        <span className="sr-only">: {shown(oneLine(memory))}</span>
      </label>
      <StatusChips memory={memory} />
      <LessonValue of={memory} />
      <section>
        <h3 className="text-xs font-semibold text-soft">{task}</h3>
        <RunText text={memory.task} lines={4} words />
      </section>
      <LessonText lesson={memory} />
    </div>
  );
}
