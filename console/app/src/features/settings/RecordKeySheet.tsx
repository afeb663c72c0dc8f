// Records a key press and shows whether the key is available.
import { useState } from "react";
import { Heading } from "react-aria-components";
import { type ActionSpec, pressOf } from "../../keys/KeyProvider";
import { keyLabel } from "../../keys/labels";
import { nameOf } from "../../keys/machine";
import { Overlay } from "../../shell/Overlay";
import { t } from "../../texts";

/** Keys with a fixed meaning in a dialog, and modifier keys alone. */
const RESERVED = new Set(["Tab", "Shift+Tab", "Escape", "Enter", "Space", "Shift", "Control", "Alt", "Meta"]);
const MODIFIER = /^(Mod\+)?(Shift\+)?(Shift|Control|Alt|Meta|AltGraph|CapsLock)$/;

export function RecordKeySheet(props: {
  spec: ActionSpec;
  conflictsOf: (key: string) => string[];
  onKey: (key: string) => void;
  onClose: () => void;
}) {
  const texts = t.settings.recordKey;
  const [key, setKey] = useState<string | null>(null);
  const faults = key === null ? [] : props.conflictsOf(key);
  return (
    <Overlay label={texts.label} onClose={props.onClose}>
      <form
        className="flex flex-col gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (key !== null && faults.length === 0) props.onKey(key);
        }}
      >
        <Heading slot="title" level={2} className="section-title">
          {texts.title(props.spec.label)}
        </Heading>
        <label className="flex flex-col gap-1">
          {texts.press}
          <input
            className="field max-w-40 text-center"
            readOnly
            // The user opened the dialog to press a key.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            value={key === null ? "" : keyLabel(key)}
            onKeyDown={(event) => {
              const name = nameOf(pressOf(event.nativeEvent));
              if (RESERVED.has(name) || MODIFIER.test(name)) return;
              event.preventDefault();
              setKey(name);
            }}
          />
        </label>
        <div role="status" className="min-h-10 text-sm">
          {faults.length === 0 ? (
            <p className="text-soft">{key === null ? texts.reserved : texts.available}</p>
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
            {t.settings.form.cancel}
          </button>
          <button type="submit" className="btn btn-primary" disabled={key === null || faults.length > 0}>
            {texts.use}
          </button>
        </p>
      </form>
    </Overlay>
  );
}
