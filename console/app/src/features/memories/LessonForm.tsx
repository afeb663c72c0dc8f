// Form fields of a lesson.
import { t } from "../../texts";
import { type Draft, LESSON_FIELDS } from "./lesson";

export function LessonForm(props: { draft: Draft; onChange: (draft: Draft) => void }) {
  const set = (name: keyof Draft) => (event: { target: { value: string } }) =>
    props.onChange({ ...props.draft, [name]: event.target.value });
  return (
    <>
      <Field label={t.memories.task} rows={2} value={props.draft.task} onChange={set("task")} />
      {LESSON_FIELDS.map((field) => (
        <Field
          key={field.name}
          label={t.memories.fields[field.name]}
          rows={field.rows}
          value={props.draft[field.name]}
          onChange={set(field.name)}
        />
      ))}
      <Field label={t.memories.toolsField} rows={1} value={props.draft.tools} onChange={set("tools")} />
    </>
  );
}

function Field(props: {
  label: string;
  rows: number;
  value: string;
  onChange: (event: { target: { value: string } }) => void;
}) {
  return (
    <label className="flex flex-col gap-0.5 text-xs font-semibold text-soft">
      {props.label}
      <textarea
        rows={props.rows}
        className="field text-sm font-normal text-ink"
        value={props.value}
        onChange={props.onChange}
      />
    </label>
  );
}
