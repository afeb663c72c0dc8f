// Redaction of texts before they are stored or sent to a model.
import { useState } from "react";
import type { Schemas } from "../../api/types";
import { Block, RadioGroup, ErrorText, Save, Checkbox, type FormProps } from "./form";
import { useSettingsPatch } from "./useSettingsPatch";

type Redaction = Required<Schemas["RedactionSettings"]>;

const PII = [
  { value: "off", label: "Keep it", hint: "" },
  { value: "mask", label: "Mask it", hint: "replaced with a placeholder such as [pii:email#91c0]" },
  { value: "block", label: "Refuse it", hint: "the sender gets an error that names the field" },
] as const;

export function RedactionForm({ project, data, canEdit }: FormProps) {
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
    <Block
      title="Redaction"
      about="Applied before anything is stored, logged or sent to a model. It reduces risk but cannot guarantee removal: data without a known format or checksum is not detected. Data stored earlier is not changed."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          patch.mutate({ redaction: value });
        }}
      >
        <Checkbox
          label="Redact credentials"
          hint="Keys, tokens, passwords. Turn this off only if your runs contain fake credentials."
          checked={value.secrets}
          disabled={!canEdit}
          onChange={(secrets) => set({ secrets })}
        />
        <RadioGroup
          legend="Personal data: e-mail addresses, phone numbers, payment cards, IBANs, national id numbers"
          value={value.pii}
          disabled={!canEdit}
          options={PII}
          onChange={(pii) => set({ pii })}
        />
        <Checkbox
          label="Treat IP addresses as personal data"
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
