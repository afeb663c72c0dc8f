// Keyboard settings: single-letter keys on or off, and custom keys. Stored in this browser.
import { useState } from "react";
import { Key } from "../../keys/Key";
import type { ActionSpec } from "../../keys/KeyProvider";
import { keyLabel } from "../../keys/labels";
import { setKeyPreferences, useKeyPreferences } from "../../keys/preferences";
import { keyTables } from "../../pages";
import { globalKeys } from "../../shell/actions";
import { PageHead } from "../../shell/Page";
import { t } from "../../texts";
import { RecordKeySheet } from "./RecordKeySheet";
import { Block, SectionBody, Checkbox } from "./form";
import { conflictsOf, withCustomKey } from "./custom-keys";

export function KeyboardPage() {
  const { singleKeys, own } = useKeyPreferences();
  const [asking, setAsking] = useState<ActionSpec | null>(null);
  const changed = Object.keys(own).length;
  const texts = t.settings.keyboard;
  const tables = keyTables();
  const everywhere = globalKeys();
  return (
    <>
      <PageHead title={texts.title} about={texts.about} />
      <SectionBody>
        <Block title={texts.single}>
          <Checkbox
            label={texts.enableSingle}
            hint={texts.enableSingleHint(keyLabel("Mod+k"))}
            checked={singleKeys}
            onChange={(on) => setKeyPreferences({ singleKeys: on })}
          />
        </Block>
        <Block title={texts.custom} about={texts.customAbout}>
          <p>
            <button
              type="button"
              className="btn btn-small"
              disabled={changed === 0}
              onClick={() => setKeyPreferences({ own: {} })}
            >
              {texts.reset(changed)}
            </button>
          </p>
        </Block>
        {[...tables, { screen: texts.everywhere, specs: everywhere }].map((table) => (
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
          conflictsOf={(key) => conflictsOf(tables, everywhere, withCustomKey(own, asking, key))}
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
  const texts = t.settings.keyboard;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-1">
      <span className="min-w-0 flex-1 max-sm:basis-full">{props.spec.label}</span>
      <span className="flex gap-1">
        <span className="sr-only">{keys.length === 0 ? texts.noKey : keys.map(keyLabel).join(", ")}</span>
        {keys.length === 0 ? (
          <span aria-hidden="true" className="text-sm text-soft">
            {texts.noKey}
          </span>
        ) : null}
        {keys.map((key) => (
          <Key key={key} name={key} />
        ))}
      </span>
      <button
        type="button"
        className="btn btn-small"
        aria-label={texts.changeKeyOf(props.spec.label)}
        onClick={props.onChange}
      >
        {texts.change}
      </button>
      <button
        type="button"
        className={`btn btn-small ${props.mine === undefined ? "invisible" : ""}`}
        aria-label={texts.defaultKeyOf(props.spec.label)}
        onClick={props.onReset}
      >
        {texts.default}
      </button>
    </li>
  );
}
