// The retention form: days until data is removed.
import { useState } from "react";
import type { Schemas } from "../../api/types";
import { t } from "../../texts";
import { readCount } from "./numbers";
import { Block, Field, ErrorText, Save, type FormProps } from "./form";
import { useSettingsPatch } from "./useSettingsPatch";

type Kept = keyof Schemas["RetentionSettings"];

const FIELDS: readonly Kept[] = ["traces_days", "bodies_days", "retrievals_days"];
const MAX_DAYS = 3650;

export function RetentionForm({ project, data, canEdit }: FormProps) {
  const texts = t.settings.retention;
  const [draft, setDraft] = useState<Partial<Record<Kept, string>>>({});
  const patch = useSettingsPatch(project, () => setDraft({}));
  const text = (field: Kept) => draft[field] ?? data.retention?.[field]?.toString() ?? "";
  const read = FIELDS.map((field) => ({
    field,
    ...readCount(text(field), texts.fields[field].name, 1, MAX_DAYS),
  }));
  const fault = read.find((one) => one.fault !== null)?.fault ?? null;
  const changed = read.some(
    (one) => one.fault !== null || one.value !== (data.retention?.[one.field] ?? null),
  );
  return (
    <Block title={texts.title} about={texts.about}>
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
        {FIELDS.map((field) => (
          <Field key={field} label={texts.fields[field].label} hint={texts.fields[field].hint}>
            {(names) => (
              <input
                {...names}
                className="field max-w-32"
                inputMode="numeric"
                placeholder={texts.default}
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
