// The judge settings form.
import { useState } from "react";
import type { Schemas } from "../../api/types";
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
  const sample = readPercent(draft.sample, "Reviewed share", 100);
  const blind = readPercent(draft.blind, "Blind", 100);
  const tokens = readCount(draft.tokens, "Tokens", 0, MAX_TOKENS);
  const delay = readCount(draft.delay, "Delay", 0, MAX_DELAY);
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
  const input = (field: "sample" | "blind" | "tokens" | "delay", label: string, hint: string) => (
    <Field label={label} hint={hint}>
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
    <Block
      title="Settings"
      about="The judge reviews runs without a human review. Its reviews change utilities only as much as its measured accuracy allows. Your review replaces the judge's review."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Checkbox
          label="Enable the judge"
          checked={draft.enabled}
          disabled={!props.canEdit}
          onChange={(enabled) => set({ enabled })}
        />
        <Field
          label="Rubric"
          hint="The criteria for a pass, in plain text. Empty: only the task. A new rubric restarts the accuracy measurement."
        >
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
          {input("sample", "Reviewed share, in percent", "The share of pending runs that the judge reviews.")}
          {input(
            "blind",
            "Blind, in percent",
            "The share of these verdicts that is hidden until a person has reviewed the run too.",
          )}
          {input("tokens", "Tokens per day", "Empty: only the project's limit applies.")}
          {input(
            "delay",
            "Delay in seconds",
            "The minimum age of a run. It gives people and clients time to review it first.",
          )}
        </div>
        <ErrorText error={patch.error} />
        {props.canEdit ? (
          <Save changed={changed} fault={changed ? fault : null} busy={patch.isPending} />
        ) : null}
      </form>
    </Block>
  );
}
