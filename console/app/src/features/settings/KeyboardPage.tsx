// Keyboard settings: single-letter keys on or off, and custom keys. Stored in this browser.
import { useState } from "react";
import { Key } from "../../keys/Key";
import type { ActionSpec } from "../../keys/KeyProvider";
import { keyLabel } from "../../keys/labels";
import { setKeyPreferences, useKeyPreferences } from "../../keys/preferences";
import { KEY_TABLES } from "../../pages";
import { GLOBAL_KEYS } from "../../shell/actions";
import { PageHead } from "../../shell/Page";
import { RecordKeySheet } from "./RecordKeySheet";
import { Block, SectionBody, Checkbox } from "./form";
import { conflictsOf, withCustomKey } from "./custom-keys";

export function KeyboardPage() {
  const { singleKeys, own } = useKeyPreferences();
  const [asking, setAsking] = useState<ActionSpec | null>(null);
  const changed = Object.keys(own).length;
  return (
    <>
      <PageHead title="Keyboard" about="stored in this browser, for you only" />
      <SectionBody>
        <Block title="Single keys">
          <Checkbox
            label="Enable single-letter and digit keys"
            hint="Turn this off if you use speech input or press keys by mistake. Key combinations such as Ctrl+K always work, and the command palette lists all actions."
            checked={singleKeys}
            onChange={(on) => setKeyPreferences({ singleKeys: on })}
          />
        </Block>
        <Block
          title="Custom keys"
          about="A custom key replaces all default keys of that action on every page that has it."
        >
          <p>
            <button
              type="button"
              className="btn btn-small"
              disabled={changed === 0}
              onClick={() => setKeyPreferences({ own: {} })}
            >
              Reset to the default keys{changed === 0 ? "" : ` (${changed} changed)`}
            </button>
          </p>
        </Block>
        {[...KEY_TABLES, { screen: "Everywhere", specs: GLOBAL_KEYS }].map((table) => (
          <Block key={table.screen} title={table.screen}>
            <ul>
              {table.specs.map((spec) => (
                <Row
                  key={spec.action}
                  spec={spec}
                  mine={own[spec.action]}
                  onChange={() => setAsking(spec)}
                  onReset={() => setKeyPreferences({ own: withCustomKey(own, spec, null) })}
                />
              ))}
            </ul>
          </Block>
        ))}
      </SectionBody>
      {asking === null ? null : (
        <RecordKeySheet
          spec={asking}
          conflictsOf={(key) => conflictsOf(KEY_TABLES, GLOBAL_KEYS, withCustomKey(own, asking, key))}
          onKey={(key) => {
            setKeyPreferences({ own: withCustomKey(own, asking, key) });
            setAsking(null);
          }}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
}

function Row(props: {
  spec: ActionSpec;
  mine: string[] | undefined;
  onChange: () => void;
  onReset: () => void;
}) {
  const keys = props.mine ?? props.spec.keys;
  return (
    <li className="flex items-center gap-3 border-b border-line py-1">
      <span className="min-w-0 flex-1">{props.spec.label}</span>
      <span className="flex gap-1">
        <span className="sr-only">{keys.length === 0 ? "no key" : keys.map(keyLabel).join(", ")}</span>
        {keys.length === 0 ? (
          <span aria-hidden="true" className="text-sm text-soft">
            no key
          </span>
        ) : null}
        {keys.map((key) => (
          <Key key={key} name={key} />
        ))}
      </span>
      <button
        type="button"
        className="btn btn-small"
        aria-label={`Change the key of: ${props.spec.label}`}
        onClick={props.onChange}
      >
        Change
      </button>
      <button
        type="button"
        className={`btn btn-small ${props.mine === undefined ? "invisible" : ""}`}
        aria-label={`Default key of: ${props.spec.label}`}
        onClick={props.onReset}
      >
        Default
      </button>
    </li>
  );
}
