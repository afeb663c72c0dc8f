// What is taken out of texts before they are stored or sent to a model.
import { useState } from "react";
import type { Schemas } from "../../api/types";
import { Block, Choices, Problem, Save, Tick } from "./parts";
import type { FormProps } from "./ProjectPage";
import { usePatch } from "./usePatch";

type Redaction = Required<Schemas["RedactionSettings"]>;

const PII = [
  { value: "off", label: "Take it as it comes", hint: "" },
  { value: "mask", label: "Mask it", hint: "a placeholder such as [pii:email#91c0] stands in its place" },
  { value: "block", label: "Refuse it", hint: "whoever sends it gets an error that names the field" },
] as const;

export function RedactionForm({ project, data, may }: FormProps) {
  const [draft, setDraft] = useState<Partial<Redaction>>({});
  const patch = usePatch(project, () => setDraft({}));
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
      about="Done before anything is stored, logged or sent to a model. It is a net and not a proof: what has no form and no checksum is not recognised. What was stored before stays as it is."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          patch.mutate({ redaction: value });
        }}
      >
        <Tick
          label="Take credentials out"
          hint="Keys, tokens, passwords. Switch it off only if runs hold made-up ones."
          checked={value.secrets}
          disabled={!may}
          onChange={(secrets) => set({ secrets })}
        />
        <Choices
          legend="Personal data: e-mail addresses, telephone numbers, payment cards, IBANs, numbers of states"
          value={value.pii}
          disabled={!may}
          options={PII}
          onChange={(pii) => set({ pii })}
        />
        <Tick
          label="IP addresses are personal data"
          checked={value.ip_addresses}
          disabled={!may}
          onChange={(ip_addresses) => set({ ip_addresses })}
        />
        <Problem error={patch.error} />
        {may ? <Save changed={changed} busy={patch.isPending} /> : null}
      </form>
    </Block>
  );
}
