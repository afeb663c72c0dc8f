// Keys: single letters on or off, and other keys for what one does often. Kept in this browser.
import { useState } from "react";
import { Key } from "../../keys/Key";
import type { ActionSpec } from "../../keys/KeyProvider";
import { keyLabel } from "../../keys/labels";
import { setKeyPreferences, useKeyPreferences } from "../../keys/preferences";
import { GLOBAL_KEYS } from "../../shell/actions";
import { PageHead } from "../../shell/Page";
import { MEMORIES_KEYS } from "../memories/keys";
import { MEMORY_KEYS } from "../memory/keys";
import { RETRIEVE_KEYS } from "../retrieve/keys";
import { OVERVIEW_KEYS } from "../overview/keys";
import { REVIEW_KEYS } from "../review/keys";
import { TRACE_KEYS } from "../trace/keys";
import { TRACES_KEYS } from "../traces/keys";
import { AskKey } from "./AskKey";
import { Block, Room, Tick } from "./parts";
import { faultsOf, type Table, withKey } from "./remap";
import { SETTINGS_KEYS } from "./sections";

const TABLES: readonly Table[] = [
  { screen: "Review", specs: REVIEW_KEYS },
  { screen: "Traces", specs: TRACES_KEYS },
  { screen: "Trace", specs: TRACE_KEYS },
  { screen: "Memories", specs: MEMORIES_KEYS },
  { screen: "Memory", specs: MEMORY_KEYS },
  { screen: "Retrieve", specs: RETRIEVE_KEYS },
  { screen: "Overview", specs: OVERVIEW_KEYS },
  { screen: "Settings", specs: SETTINGS_KEYS.filter((spec) => spec.keys.length > 0) },
];

export function KeyboardPage() {
  const { singleKeys, own } = useKeyPreferences();
  const [asking, setAsking] = useState<ActionSpec | null>(null);
  const changed = Object.keys(own).length;
  return (
    <>
      <PageHead title="Keyboard" about="kept in this browser, for you alone" />
      <Room>
        <Block title="Single keys">
          <Tick
            label="Letters and digits alone do something"
            hint="Switch it off if you speak to your computer or your keys are pressed by mistake. Chords such as Ctrl+K always work, and everything is in the list of actions."
            checked={singleKeys}
            onChange={(on) => setKeyPreferences({ singleKeys: on })}
          />
        </Block>
        <Block
          title="Own keys"
          about="A key of your own takes the place of all usual ones of that action, on every screen that has it."
        >
          <p>
            <button
              type="button"
              className="btn btn-small"
              disabled={changed === 0}
              onClick={() => setKeyPreferences({ own: {} })}
            >
              Back to the usual keys{changed === 0 ? "" : ` (${changed} changed)`}
            </button>
          </p>
        </Block>
        {[...TABLES, { screen: "Everywhere", specs: GLOBAL_KEYS }].map((table) => (
          <Block key={table.screen} title={table.screen}>
            <ul>
              {table.specs.map((spec) => (
                <Row
                  key={spec.action}
                  spec={spec}
                  mine={own[spec.action]}
                  onChange={() => setAsking(spec)}
                  onReset={() => setKeyPreferences({ own: withKey(own, spec, null) })}
                />
              ))}
            </ul>
          </Block>
        ))}
      </Room>
      {asking === null ? null : (
        <AskKey
          spec={asking}
          faultsOf={(key) => faultsOf(TABLES, GLOBAL_KEYS, withKey(own, asking, key))}
          onKey={(key) => {
            setKeyPreferences({ own: withKey(own, asking, key) });
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
        aria-label={`Usual key of: ${props.spec.label}`}
        onClick={props.onReset}
      >
        Usual
      </button>
    </li>
  );
}
