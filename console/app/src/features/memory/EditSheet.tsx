// Another text for a memory. Every text is kept; what changes is shown before it does.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Heading } from "react-aria-components";
import { CallFailed, words } from "../../api/failure";
import { editMemory, type StoredMemory } from "../../api/memories";
import { Overlay } from "../../shell/Overlay";
import { useCare } from "../memories/useCare";
import { DONE } from "../memories/wording";
import { diffRows } from "./diff";
import { Difference } from "./Difference";
import { draftOf, editOf, problemOf } from "./lesson";
import { LessonForm } from "./LessonForm";

export function EditSheet(props: { project: string; memory: StoredMemory; onClose: () => void }) {
  const { project } = props;
  // The text that the edit began with: one that somebody else wrote meanwhile must not be lost without a word.
  const [memory] = useState(props.memory);
  const before = draftOf(memory);
  const [draft, setDraft] = useState(before);
  const care = useCare(project);
  const edit = editOf(before, draft);
  const problem = problemOf(draft);
  const rows = diffRows(before, draft);
  const save = useMutation({
    mutationFn: () => editMemory(project, memory.id, { ...edit, version: memory.version }),
    onSuccess: (done) => {
      care.told(`${DONE.edit} It is version ${done.memory.version}.`, done, [memory.id]);
      props.onClose();
    },
  });
  const ready = edit !== null && problem === null && !save.isPending;
  return (
    <Overlay label="Edit the memory" wide onClose={props.onClose}>
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) save.mutate();
        }}
      >
        <div className="flex min-h-0 flex-col gap-3 overflow-y-auto p-4">
          <Heading slot="title" level={2} className="text-base font-semibold text-ink">
            Edit version {memory.version}
          </Heading>
          <LessonForm draft={draft} onChange={setDraft} />
          <section className="min-h-16 rounded bg-sunken p-3" aria-label="What changes">
            {rows.length === 0 ? (
              <p className="text-sm text-soft">
                Nothing is changed yet. The utility stays; the evidence for the credit is halved, because the
                text is another one.
              </p>
            ) : (
              <Difference rows={rows} />
            )}
          </section>
        </div>
        <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line p-3">
          <p role="alert" className="me-auto text-sm text-fail">
            {save.error !== null ? words(save.error) : edit !== null ? problem : null}
            {save.error instanceof CallFailed && save.error.status === 409
              ? " Copy what you wrote, close this, and edit the text that it has now."
              : null}
          </p>
          <button type="button" className="btn" onClick={props.onClose}>
            Cancel
          </button>
          <button type="submit" className="btn btn-primary" disabled={!ready}>
            Keep as version {memory.version + 1}
          </button>
        </footer>
      </form>
    </Overlay>
  );
}
