// Redaction of texts before they are stored or sent to a model.
import { useState } from "react";
import type { Schemas } from "../../api/types";
import { t } from "../../texts";
import { Block, RadioGroup, ErrorText, Save, Checkbox, type FormProps } from "./form";
import { useSettingsPatch } from "./useSettingsPatch";

type Redaction = Required<Schemas["RedactionSettings"]>;

const PII_ACTIONS = ["off", "mask", "block"] as const;

export function RedactionForm({ project, data, canEdit }: FormProps) {
  const texts = t.settings.project.redaction;
  const [draft, setDraft] = useState<Partial<Redaction>>({});
  const patch = useSettingsPatch(project, () => setDraft({}));
  const stored: Redaction = { secrets: true, pii: "off", ip_addresses: false, ...data.redaction };
  const value = { ...stored, ...draft };
  const changed =
    value.secrets !== stored.secrets ||
    value.pii !== stored.pii ||
    value.ip_addresses !== stored.ip_addresses;
  const set = (change: Partial<Redaction>) => setDraft({ ...draft, ...change });
  return (
    <Block title={texts.title} about={texts.about}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          patch.mutate({ redaction: value });
        }}
      >
        <Checkbox
          label={texts.secrets}
          hint={texts.secretsHint}
          checked={value.secrets}
          disabled={!canEdit}
          onChange={(secrets) => set({ secrets })}
        />
        <RadioGroup
          legend={texts.pii}
          value={value.pii}
          disabled={!canEdit}
          options={PII_ACTIONS.map((one) => ({ value: one, ...texts.actions[one] }))}
          onChange={(pii) => set({ pii })}
        />
        <Checkbox
          label={texts.ipAddresses}
          checked={value.ip_addresses}
          disabled={!canEdit}
          onChange={(ip_addresses) => set({ ip_addresses })}
        />
        <ErrorText error={patch.error} />
        {canEdit ? <Save changed={changed} busy={patch.isPending} /> : null}
      </form>
    </Block>
  );
}
