// How the judge is set.
import { useState } from "react";
import type { Schemas } from "../../api/types";
import { asPercent, readCount, readPercent } from "./numbers";
import { Block, Field, Problem, Save, Tick } from "./parts";
import { usePatch } from "./usePatch";

type Draft = {
  enabled: boolean;
  rubric: string;
  sample: string;
  blind: string;
  tokens: string;
  delay: string;
};

const MOST_TOKENS = 1_000_000_000_000;
const MOST_DELAY = 30 * 86_400;

/** The form as the server has it. */
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

export function JudgeForm(props: { project: string; stored: Schemas["ProjectJudge"]; may: boolean }) {
  const [change, setChange] = useState<Partial<Draft>>({});
  const patch = usePatch(props.project, () => setChange({}));
  const stored = draftOf(props.stored);
  const draft = { ...stored, ...change };
  const set = (more: Partial<Draft>) => setChange({ ...change, ...more });
  const sample = readPercent(draft.sample, "Looked at", 100);
  const blind = readPercent(draft.blind, "Blind", 100);
  const tokens = readCount(draft.tokens, "Tokens", 0, MOST_TOKENS);
  const delay = readCount(draft.delay, "Delay", 0, MOST_DELAY);
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
          disabled={!props.may}
          value={draft[field]}
          onChange={(event) => set({ [field]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <Block
      title="Settings"
      about="It looks at runs that nobody has reviewed. Its reviews move utilities only as far as it has proved to know; a review of yours takes the place of its own."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Tick
          label="Let the judge review"
          checked={draft.enabled}
          disabled={!props.may}
          onChange={(enabled) => set({ enabled })}
        />
        <Field
          label="Rubric"
          hint="What a run has to meet, in words. Empty: the task says it all. Another rubric starts the measurement anew."
        >
          {(names) => (
            <textarea
              {...names}
              rows={4}
              className="field"
              maxLength={16_000}
              disabled={!props.may}
              value={draft.rubric}
              onChange={(event) => set({ rubric: event.target.value })}
            />
          )}
        </Field>
        <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
          {input("sample", "Looked at, in percent", "The share of waiting runs that it looks at.")}
          {input("blind", "Blind, in percent", "Of those, kept back until somebody has reviewed them too.")}
          {input("tokens", "Tokens in a day", "Empty: no limit but the project's.")}
          {input("delay", "Delay in seconds", "How old a run must be, so that people and clients go first.")}
        </div>
        <Problem error={patch.error} />
        {props.may ? <Save changed={changed} fault={changed ? fault : null} busy={patch.isPending} /> : null}
      </form>
    </Block>
  );
}
