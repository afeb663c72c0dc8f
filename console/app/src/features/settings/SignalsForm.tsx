// How signals find runs, and the share of runs that measures the sources.
import { useState } from "react";
import type { Schemas } from "../../api/types";
import { t } from "../../texts";
import { Block, ErrorText, Field, RadioGroup, Save } from "./form";
import { asPercent, readPercent } from "./numbers";
import { useSettingsPatch } from "./useSettingsPatch";

type Draft = { blind: string; matching: Schemas["SignalMatching"] };

const MATCHINGS = ["latest", "all", "only"] as const;

export function SignalsForm(props: { project: string; stored: Schemas["ProjectSignals"]; canEdit: boolean }) {
  const [change, setChange] = useState<Partial<Draft>>({});
  const patch = useSettingsPatch(props.project, () => setChange({}));
  const stored: Draft = {
    blind: asPercent(props.stored.blind_share ?? 0.2),
    matching: props.stored.matching ?? "latest",
  };
  const draft = { ...stored, ...change };
  const texts = t.settings.signals.project;
  const blind = readPercent(draft.blind, texts.blind.name, 100);
  const isChanged = draft.blind !== stored.blind || draft.matching !== stored.matching;
  return (
    <Block title={texts.title}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (blind.fault !== null) return;
          patch.mutate({ signals: { blind_share: blind.value, matching: draft.matching } });
        }}
      >
        <Field label={texts.blind.label} hint={texts.blind.hint}>
          {(names) => (
            <input
              {...names}
              className="field max-w-40"
              inputMode="decimal"
              disabled={!props.canEdit}
              value={draft.blind}
              onChange={(event) => setChange({ ...change, blind: event.target.value })}
            />
          )}
        </Field>
        <RadioGroup
          legend={texts.matching}
          value={draft.matching}
          disabled={!props.canEdit}
          options={MATCHINGS.map((one) => ({ value: one, ...texts.matchings[one] }))}
          onChange={(matching) => setChange({ ...change, matching })}
        />
        <ErrorText error={patch.error} />
        {props.canEdit ? (
          <Save changed={isChanged} fault={isChanged ? blind.fault : null} busy={patch.isPending} />
        ) : null}
      </form>
    </Block>
  );
}
