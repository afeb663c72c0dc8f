// For how many days a project keeps things.
import { useState } from "react";
import type { Schemas } from "../../api/types";
import { readCount } from "./numbers";
import { Block, Field, Problem, Save } from "./parts";
import type { FormProps } from "./ProjectPage";
import { usePatch } from "./usePatch";

type Kept = keyof Schemas["RetentionSettings"];

const FIELDS: readonly { field: Kept; label: string; hint: string }[] = [
  {
    field: "traces_days",
    label: "Runs",
    hint: "With all their texts. One whose review counts keeps its row and loses every text; memories and numbers stay.",
  },
  { field: "bodies_days", label: "Messages of runs", hint: "Task, answer and outcome stay." },
  {
    field: "retrievals_days",
    label: "Receipts of retrievals",
    hint: "What was considered for which question.",
  },
];
const MOST_DAYS = 3650;

export function RetentionForm({ project, data, may }: FormProps) {
  const [draft, setDraft] = useState<Partial<Record<Kept, string>>>({});
  const patch = usePatch(project, () => setDraft({}));
  const text = (field: Kept) => draft[field] ?? data.retention?.[field]?.toString() ?? "";
  const read = FIELDS.map(({ field, label }) => ({ field, ...readCount(text(field), label, 1, MOST_DAYS) }));
  const fault = read.find((one) => one.fault !== null)?.fault ?? null;
  const changed = read.some(
    (one) => one.fault !== null || one.value !== (data.retention?.[one.field] ?? null),
  );
  return (
    <Block
      title="Retention"
      about="In days, 1 to 3650. Empty: as long as the installation keeps it. Once an hour what is older goes, for good."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          patch.mutate({
            retention: Object.fromEntries(
              read.map((one) => [one.field, one.value]),
            ) as Schemas["RetentionSettings"],
          });
        }}
      >
        {FIELDS.map(({ field, label, hint }) => (
          <Field key={field} label={`${label}, in days`} hint={hint}>
            {(names) => (
              <input
                {...names}
                className="field max-w-32"
                inputMode="numeric"
                placeholder="installation"
                disabled={!may}
                value={text(field)}
                onChange={(event) => setDraft({ ...draft, [field]: event.target.value })}
              />
            )}
          </Field>
        ))}
        <Problem error={patch.error} />
        {may ? <Save changed={changed} fault={fault} busy={patch.isPending} /> : null}
      </form>
    </Block>
  );
}
