// Edits the text of a memory. Every version is kept, and the change is shown before it is saved.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Heading } from "react-aria-components";
import { ApiError, errorMessage } from "../../api/errors";
import { editMemory, type StoredMemory } from "../../api/memories";
import { Overlay } from "../../shell/Overlay";
import { t } from "../../texts";
import { useMemoryActions } from "./useMemoryActions";
import { diffRows } from "./diff";
import { DiffRows } from "./DiffRows";
import { draftOf, editOf, validateDraft } from "./lesson";
import { LessonForm } from "./LessonForm";

export function EditSheet(props: { project: string; memory: StoredMemory; onClose: () => void }) {
  const { project } = props;
  const { edit: texts, cancel, done: doneTexts } = t.memories;
  // The text at the start of the edit. If someone else changed it since, saving must not overwrite that change
  // silently.
  const [memory] = useState(props.memory);
  const before = draftOf(memory);
  const [draft, setDraft] = useState(before);
  const actions = useMemoryActions(project);
  const edit = editOf(before, draft);
  const problem = validateDraft(draft);
  const rows = diffRows(before, draft);
  const save = useMutation({
    mutationFn: () => editMemory(project, memory.id, { ...edit, version: memory.version }),
    onSuccess: (done) => {
      actions.reportDone(doneTexts.edit(done.memory.version), done, [memory.id]);
      props.onClose();
    },
  });
  const ready = edit !== null && problem === null && !save.isPending;
  return (
    <Overlay label={texts.label} wide onClose={props.onClose}>
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) save.mutate();
        }}
      >
        <div className="flex min-h-0 flex-col gap-3 overflow-y-auto p-4">
          <Heading slot="title" level={2} className="text-base font-semibold text-ink">
            {texts.title(memory.version)}
          </Heading>
          <p className="text-soft">{texts.about}</p>
          <LessonForm draft={draft} onChange={setDraft} />
          <section className="min-h-16 rounded bg-sunken p-3" aria-label={texts.changes}>
            {rows.length === 0 ? (
              <p className="text-sm text-soft">{texts.noChanges}</p>
            ) : (
              <DiffRows rows={rows} />
            )}
          </section>
        </div>
        <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line p-3">
          <p role="alert" className="me-auto text-sm text-fail">
            {save.error !== null ? errorMessage(save.error) : edit !== null ? problem : null}
            {save.error instanceof ApiError && save.error.status === 409 ? ` ${texts.conflict}` : null}
          </p>
          <button type="button" className="btn" onClick={props.onClose}>
            {cancel}
          </button>
          <button type="submit" className="btn btn-primary" disabled={!ready}>
            {texts.save(memory.version + 1)}
          </button>
        </footer>
      </form>
    </Overlay>
  );
}
