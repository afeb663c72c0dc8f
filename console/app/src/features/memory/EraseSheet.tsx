// Removes what a memory says, for good. The id has to be typed, because there is no way back.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Heading } from "react-aria-components";
import { words } from "../../api/failure";
import { eraseMemory } from "../../api/memories";
import { weChanged } from "../../shell/live";
import { Overlay } from "../../shell/Overlay";
import { tell } from "../../shell/toasts";
import { DONE } from "../memories/wording";

export function EraseSheet(props: { project: string; memory: string; onClose: () => void }) {
  const { project, memory } = props;
  const client = useQueryClient();
  const [typed, setTyped] = useState("");
  const erase = useMutation({
    mutationFn: () => eraseMemory(project, memory, typed.trim()),
    onSuccess: () => {
      weChanged("memories");
      tell({ text: DONE.erase });
      void client.invalidateQueries({ queryKey: [project, "memories"] });
      void client.invalidateQueries({ queryKey: [project, "memory-rows"] });
      props.onClose();
    },
  });
  const ready = typed.trim() === memory && !erase.isPending;
  return (
    <Overlay label="Erase the memory" onClose={props.onClose}>
      <form
        className="flex flex-col gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) erase.mutate();
        }}
      >
        <Heading slot="title" level={2} className="text-base font-semibold text-ink">
          Erase the memory for good
        </Heading>
        <p>
          All its texts, versions and vectors are removed; its numbers stay.{" "}
          <strong>This cannot be undone.</strong> To take it out of use in a way that can be undone, disable
          or delete it.
        </p>
        <label className="flex flex-col gap-1 text-sm">
          <span>
            Type its id to go on: <code className="break-all">{memory}</code>
          </span>
          <input
            className="field font-mono"
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <p role="alert" className="text-sm text-fail">
          {erase.error === null ? null : words(erase.error)}
        </p>
        <p className="flex justify-end gap-2">
          <button type="button" className="btn" onClick={props.onClose}>
            Cancel
          </button>
          <button type="submit" className="btn btn-primary" disabled={!ready}>
            Erase for good
          </button>
        </p>
      </form>
    </Overlay>
  );
}
