// Waits for a key and says whether it can be had.
import { useState } from "react";
import { Heading } from "react-aria-components";
import { type ActionSpec, pressOf } from "../../keys/KeyProvider";
import { keyLabel } from "../../keys/labels";
import { nameOf } from "../../keys/machine";
import { Overlay } from "../../shell/Overlay";

/** Keys that have a meaning of their own in a sheet, or none alone. */
const NOT_TAKEN = new Set([
  "Tab",
  "Shift+Tab",
  "Escape",
  "Enter",
  "Space",
  "Shift",
  "Control",
  "Alt",
  "Meta",
]);
const MODIFIER = /^(Mod\+)?(Shift\+)?(Shift|Control|Alt|Meta|AltGraph|CapsLock)$/;

export function AskKey(props: {
  spec: ActionSpec;
  faultsOf: (key: string) => string[];
  onKey: (key: string) => void;
  onClose: () => void;
}) {
  const [key, setKey] = useState<string | null>(null);
  const faults = key === null ? [] : props.faultsOf(key);
  return (
    <Overlay label="Another key" onClose={props.onClose}>
      <form
        className="flex flex-col gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (key !== null && faults.length === 0) props.onKey(key);
        }}
      >
        <Heading slot="title" level={2} className="text-base font-semibold text-ink">
          Another key for “{props.spec.label}”
        </Heading>
        <label className="flex flex-col gap-1">
          Press the key or the chord in this field
          <input
            className="field max-w-40 text-center"
            readOnly
            // The sheet is there to be typed into, and was asked for.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            value={key === null ? "" : keyLabel(key)}
            onKeyDown={(event) => {
              const name = nameOf(pressOf(event.nativeEvent));
              if (NOT_TAKEN.has(name) || MODIFIER.test(name)) return;
              event.preventDefault();
              setKey(name);
            }}
          />
        </label>
        <div role="status" className="min-h-10 text-sm">
          {faults.length === 0 ? (
            <p className="text-soft">
              {key === null ? "Tab, Enter, Space and Esc keep their meaning." : "It is free."}
            </p>
          ) : (
            <ul className="text-fail">
              {faults.map((fault) => (
                <li key={fault}>{fault}</li>
              ))}
            </ul>
          )}
        </div>
        <p className="flex justify-end gap-2">
          <button type="button" className="btn" onClick={props.onClose}>
            Cancel
          </button>
          <button type="submit" className="btn btn-primary" disabled={key === null || faults.length > 0}>
            Take it
          </button>
        </p>
      </form>
    </Overlay>
  );
}
