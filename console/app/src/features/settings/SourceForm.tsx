// Changes the rule of one source of signals.
import { useState } from "react";
import type { Schemas } from "../../api/types";
import { t } from "../../texts";
import { Checkbox, ErrorText, Field, Save } from "./form";
import { changeOf, type Draft, draftOf, type NumberField, type Rule } from "./source-rule";
import { useSettingsPatch } from "./useSettingsPatch";

const FIELDS: readonly NumberField[] = ["waitPass", "waitFail", "passFrom", "failBelow", "precedence"];

export function SourceForm(props: {
  project: string;
  source: string;
  rule: Rule;
  /** Whether the project sets something for this source. */
  isSet: boolean;
  onDone: () => void;
}) {
  const { rule, source } = props;
  const [edited, setEdited] = useState<Partial<Draft>>({});
  const patch = useSettingsPatch(props.project, props.onDone);
  const stored = draftOf(rule);
  const draft = { ...stored, ...edited };
  const { change, fault } = changeOf(rule, draft);
  const isChanged = (Object.keys(stored) as (keyof Draft)[]).some((key) => draft[key] !== stored[key]);
  const set = (more: Partial<Draft>) => setEdited({ ...edited, ...more });
  const send = (to: Schemas["SourceSettings"] | null) =>
    patch.mutate({ signals: { sources: { [source]: to } } });
  const texts = t.settings.signals.form;
  return (
    <form
      className="flex flex-col gap-3 border-t border-line pt-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (change !== null) send(change);
      }}
    >
      <Checkbox
        label={texts.counts}
        hint={texts.countsHint}
        checked={draft.counts}
        onChange={(counts) => set({ counts })}
      />
      <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
        {FIELDS.map((field) => (
          <Field key={field} label={texts[field].label} hint={texts[field].hint}>
            {(names) => (
              <input
                {...names}
                className="field max-w-40"
                inputMode="decimal"
                value={draft[field]}
                onChange={(event) => set({ [field]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <ErrorText error={patch.error} />
      <Save changed={isChanged} fault={isChanged ? fault : null} busy={patch.isPending} />
      {props.isSet ? (
        <p>
          <button type="button" className="btn" disabled={patch.isPending} onClick={() => send(null)}>
            {texts.usual}
          </button>
        </p>
      ) : null}
    </form>
  );
}
