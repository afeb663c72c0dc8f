// The judge settings form.
import { useState } from "react";
import type { Schemas } from "../../api/types";
import { t } from "../../texts";
import { asPercent, readCount, readPercent } from "./numbers";
import { Block, Field, ErrorText, Save, Checkbox } from "./form";
import { useSettingsPatch } from "./useSettingsPatch";

type Draft = {
  enabled: boolean;
  rubric: string;
  sample: string;
  blind: string;
  tokens: string;
  delay: string;
};

const MAX_TOKENS = 1_000_000_000_000;
const MAX_DELAY = 30 * 86_400;

/** The form values of the stored settings. */
function draftOf(stored: Schemas["ProjectJudge"]): Draft {
  return {
    enabled: stored.enabled ?? false,
    rubric: stored.rubric ?? "",
    sample: asPercent(stored.sample_rate ?? 1),
    blind: asPercent(stored.blind_share ?? 0.2),
    tokens: stored.daily_tokens?.toString() ?? "",
    delay: String(stored.delay_seconds ?? 30),
  };
}

export function JudgeForm(props: { project: string; stored: Schemas["ProjectJudge"]; canEdit: boolean }) {
  const [change, setChange] = useState<Partial<Draft>>({});
  const patch = useSettingsPatch(props.project, () => setChange({}));
  const stored = draftOf(props.stored);
  const draft = { ...stored, ...change };
  const set = (more: Partial<Draft>) => setChange({ ...change, ...more });
  const texts = t.settings.judge.form;
  const sample = readPercent(draft.sample, texts.sample.name, 100);
  const blind = readPercent(draft.blind, texts.blind.name, 100);
  const tokens = readCount(draft.tokens, texts.tokens.name, 0, MAX_TOKENS);
  const delay = readCount(draft.delay, texts.delay.name, 0, MAX_DELAY);
  const fault = sample.fault ?? blind.fault ?? tokens.fault ?? delay.fault;
  const changed = (Object.keys(stored) as (keyof Draft)[]).some((key) => draft[key] !== stored[key]);
  const save = () => {
    if (sample.fault !== null || blind.fault !== null) return;
    patch.mutate({
      judge: {
        enabled: draft.enabled,
        rubric: draft.rubric,
        sample_rate: sample.value,
        blind_share: blind.value,
        daily_tokens: tokens.value,
        ...(delay.value === null ? {} : { delay_seconds: delay.value }),
      },
    });
  };
  const input = (field: "sample" | "blind" | "tokens" | "delay") => (
    <Field label={texts[field].label} hint={texts[field].hint}>
      {(names) => (
        <input
          {...names}
          className="field max-w-40"
          inputMode="decimal"
          disabled={!props.canEdit}
          value={draft[field]}
          onChange={(event) => set({ [field]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <Block title={texts.title} about={texts.about}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Checkbox
          label={texts.enabled}
          checked={draft.enabled}
          disabled={!props.canEdit}
          onChange={(enabled) => set({ enabled })}
        />
        <Field label={texts.criteria} hint={texts.criteriaHint}>
          {(names) => (
            <textarea
              {...names}
              rows={4}
              className="field"
              maxLength={16_000}
              disabled={!props.canEdit}
              value={draft.rubric}
              onChange={(event) => set({ rubric: event.target.value })}
            />
          )}
        </Field>
        <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
          {input("sample")}
          {input("blind")}
          {input("tokens")}
          {input("delay")}
        </div>
        <ErrorText error={patch.error} />
        {props.canEdit ? (
          <Save changed={changed} fault={changed ? fault : null} busy={patch.isPending} />
        ) : null}
      </form>
    </Block>
  );
}
