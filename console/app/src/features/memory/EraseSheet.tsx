// Erases the content of a memory permanently. The user must type the id, because this cannot be undone.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Heading } from "react-aria-components";
import { errorMessage } from "../../api/errors";
import { eraseMemory } from "../../api/memories";
import { recordOwnChange } from "../../shell/live-updates";
import { Overlay } from "../../shell/Overlay";
import { notify } from "../../parts/notifications";
import { t } from "../../texts";

export function EraseSheet(props: { project: string; memory: string; onClose: () => void }) {
  const { project, memory } = props;
  const { erase: texts } = t.memory;
  const client = useQueryClient();
  const [typed, setTyped] = useState("");
  const erase = useMutation({
    mutationFn: () => eraseMemory(project, memory, typed.trim()),
    onSuccess: () => {
      recordOwnChange("memories");
      notify({ text: t.memories.done.erase });
      void client.invalidateQueries({ queryKey: [project, "memories"] });
      void client.invalidateQueries({ queryKey: [project, "memory-rows"] });
      props.onClose();
    },
  });
  const ready = typed.trim() === memory && !erase.isPending;
  return (
    <Overlay label={texts.label} onClose={props.onClose}>
      <form
        className="flex flex-col gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) erase.mutate();
        }}
      >
        <Heading slot="title" level={2} className="text-base font-semibold text-ink">
          {texts.title}
        </Heading>
        <p>{texts.about}</p>
        <label className="flex flex-col gap-1 text-sm">
          <span>{texts.type(<code className="break-all">{memory}</code>)}</span>
          <input
            className="field font-mono"
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <p role="alert" className="text-sm text-fail">
          {erase.error === null ? null : errorMessage(erase.error)}
        </p>
        <p className="flex justify-end gap-2">
          <button type="button" className="btn" onClick={props.onClose}>
            {t.memories.cancel}
          </button>
          <button type="submit" className="btn btn-primary" disabled={!ready}>
            {texts.submit}
          </button>
        </p>
      </form>
    </Overlay>
  );
}
