// One memory out of several: side by side, choose which stays, perhaps with another text.
import { useMutation, useQueries, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Heading } from "react-aria-components";
import { words } from "../../api/failure";
import { memoryQuery, mergeMemories, type MemoryDetail } from "../../api/memories";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { Overlay } from "../../shell/Overlay";
import { StatusChips } from "../memories/StatusChips";
import { useCare } from "../memories/useCare";
import { WithN } from "../memories/Worth";
import { oneLine } from "../memories/wording";
import { type Draft, draftOf, editOf, problemOf } from "./lesson";
import { LessonForm } from "./LessonForm";
import { LessonText } from "./LessonText";

export function MergeSheet(props: {
  project: string;
  /** At least two; the first one stays unless another is chosen. */
  ids: readonly string[];
  onClose: (merged: boolean) => void;
}) {
  const { project, ids } = props;
  const care = useCare(project);
  const client = useQueryClient();
  const found = useQueries({ queries: ids.map((id) => memoryQuery(project, id)) });
  const memories = found.flatMap((one) => (one.data === undefined ? [] : [one.data]));
  const [survivor, setSurvivor] = useState(ids[0] ?? "");
  const [draft, setDraft] = useState<Draft | null>(null);
  const kept = memories.find((memory) => memory.id === survivor);
  const edit = draft === null || kept === undefined ? null : editOf(draftOf(kept), draft);
  const problem = draft === null ? null : problemOf(draft);
  const others = ids.filter((id) => id !== survivor);
  const merge = useMutation({
    mutationFn: () => {
      const text = edit === null ? {} : { text: { ...edit, version: kept?.version ?? null } };
      return mergeMemories(project, { survivor_id: survivor, memory_ids: others, ...text });
    },
    onSuccess: (done) => {
      care.told(`Merged: ${ids.length} memories are one.`, done, ids);
      void client.invalidateQueries({ queryKey: [project, "memory-rows"] });
      props.onClose(true);
    },
  });
  const failure = found.find((one) => one.error !== null)?.error ?? merge.error;
  const ready = kept !== undefined && memories.length === ids.length && problem === null && !merge.isPending;
  return (
    <Overlay label="Merge memories" wide onClose={() => props.onClose(false)}>
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) merge.mutate();
        }}
      >
        <div className="flex min-h-0 flex-col gap-3 overflow-y-auto p-4">
          <Heading slot="title" level={2} className="text-base font-semibold text-ink">
            Merge {ids.length} memories
          </Heading>
          <p className="text-soft">
            Choose which one stays. Utilities are pooled by reviews and credits by evidence; the others point
            at the one that stays. It can be undone.
          </p>
          <fieldset className="grid gap-3 md:grid-cols-2">
            <legend className="sr-only">Which one stays</legend>
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
              Write the text that stays
            </button>
          ) : (
            <LessonForm draft={draft} onChange={setDraft} />
          )}
        </div>
        <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line p-3">
          <p role="alert" className="me-auto text-sm text-fail">
            {failure == null ? problem : words(failure)}
          </p>
          <button type="button" className="btn" onClick={() => props.onClose(false)}>
            Cancel
          </button>
          <button type="submit" className="btn btn-primary" disabled={!ready}>
            Merge {others.length} into the one that stays
          </button>
        </footer>
      </form>
    </Overlay>
  );
}

function Choice(props: { memory: MemoryDetail; stays: boolean; onChoose: () => void }) {
  const { memory } = props;
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
        {props.stays ? "Stays" : "Goes into the other"}
        <span className="sr-only">: {shown(oneLine(memory))}</span>
      </label>
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <StatusChips memory={memory} />
        <span>
          Utility <WithN value={memory.q_value} n={memory.reviews} />
        </span>
        <span>
          Credit <WithN value={memory.credit} n={memory.evidence} />
        </span>
      </p>
      <section>
        <h3 className="text-xs font-semibold text-soft">Task</h3>
        <RunText text={memory.task} lines={4} words />
      </section>
      <LessonText lesson={memory} />
    </div>
  );
}
