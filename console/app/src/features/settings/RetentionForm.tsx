// The retention form: days until data is removed.
import { useState } from "react";
import type { Schemas } from "../../api/types";
import { readCount } from "./numbers";
import { Block, Field, ErrorText, Save, type FormProps } from "./form";
import { useSettingsPatch } from "./useSettingsPatch";

type Kept = keyof Schemas["RetentionSettings"];

const FIELDS: readonly { field: Kept; label: string; hint: string }[] = [
  {
    field: "traces_days",
    label: "Runs",
    hint: "With all their texts. A run whose review counts keeps its row without texts. Memories and numbers are kept.",
  },
  {
    field: "bodies_days",
    label: "Messages of runs",
    hint: "Task, answer and outcome are kept.",
  },
  {
    field: "retrievals_days",
    label: "Receipts of retrievals",
    hint: "Which memories were considered for which query.",
  },
];
const MAX_DAYS = 3650;

export function RetentionForm({ project, data, canEdit }: FormProps) {
  const [draft, setDraft] = useState<Partial<Record<Kept, string>>>({});
  const patch = useSettingsPatch(project, () => setDraft({}));
  const text = (field: Kept) => draft[field] ?? data.retention?.[field]?.toString() ?? "";
  const read = FIELDS.map(({ field, label }) => ({ field, ...readCount(text(field), label, 1, MAX_DAYS) }));
  const fault = read.find((one) => one.fault !== null)?.fault ?? null;
  const changed = read.some(
    (one) => one.fault !== null || one.value !== (data.retention?.[one.field] ?? null),
  );
  return (
    <Block
      title="Retention"
      about="In days, 1 to 3650. If a field is empty, or longer than the default of the installation, that default applies. Older data is removed permanently, once per hour."
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
                disabled={!canEdit}
                value={text(field)}
                onChange={(event) => setDraft({ ...draft, [field]: event.target.value })}
              />
            )}
          </Field>
        ))}
        <ErrorText error={patch.error} />
        {canEdit ? <Save changed={changed} fault={fault} busy={patch.isPending} /> : null}
      </form>
    </Block>
  );
}
