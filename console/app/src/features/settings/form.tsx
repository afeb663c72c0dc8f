// Layout parts of the settings sections: blocks, fields with hints, errors.
import { type ReactNode, useId } from "react";
import { errorMessage } from "../../api/errors";
import type { Schemas } from "../../api/types";
import { t } from "../../texts";

/** The props of a form that edits project settings. */
export type FormProps = { project: string; data: Schemas["Project"]; canEdit: boolean };

/** The content area below the section heading. */
export function SectionBody(props: { children: ReactNode }) {
  return <div className="flex max-w-4xl flex-col gap-8 p-4 pb-16">{props.children}</div>;
}

export function Block(props: { title: string; about?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-2">
      <h2 id={id} className="section-title">
        {props.title}
      </h2>
      {props.about === undefined ? null : <p className="max-w-prose text-sm text-soft">{props.about}</p>}
      {props.children}
    </section>
  );
}

/** A label, its control, and a hint. The control receives the id and the hint's id. */
export function Field(props: {
  label: string;
  hint?: ReactNode;
  children: (names: { id: string; "aria-describedby": string | undefined }) => ReactNode;
}) {
  const id = useId();
  const hint = props.hint === undefined ? undefined : `${id}-hint`;
  return (
    <div className="flex max-w-prose flex-col gap-0.5">
      <label htmlFor={id} className="font-semibold">
        {props.label}
      </label>
      {props.children({ id, "aria-describedby": hint })}
      {hint === undefined ? null : (
        <p id={hint} className="text-sm text-soft">
          {props.hint}
        </p>
      )}
    </div>
  );
}

export function Checkbox(props: {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="flex max-w-prose gap-2 max-md:py-2">
      <input
        id={id}
        type="checkbox"
        className="mt-0.5 h-4 w-4 shrink-0 accent-accent"
        checked={props.checked}
        disabled={props.disabled}
        aria-describedby={props.hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => props.onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id} className="font-semibold">
          {props.label}
        </label>
        {props.hint === undefined ? null : (
          <p id={`${id}-hint`} className="text-sm text-soft">
            {props.hint}
          </p>
        )}
      </div>
    </div>
  );
}

export function RadioGroup<T extends string>(props: {
  legend: string;
  value: T;
  disabled?: boolean;
  options: readonly { value: T; label: string; hint: string }[];
  onChange: (value: T) => void;
}) {
  const name = useId();
  return (
    <fieldset className="flex max-w-prose flex-col gap-1" disabled={props.disabled}>
      <legend className="pb-0.5 font-semibold">{props.legend}</legend>
      {props.options.map((option) => (
        <label key={option.value} className="flex gap-2 max-md:py-2">
          <input
            type="radio"
            name={name}
            className="mt-0.5 h-4 w-4 shrink-0 accent-accent"
            checked={props.value === option.value}
            onChange={() => props.onChange(option.value)}
          />
          <span>
            {option.label} <span className="text-sm text-soft">{option.hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

export function ErrorText(props: { error: unknown }) {
  if (props.error == null) return null;
  return (
    <p role="alert" className="text-fail">
      {errorMessage(props.error)}
    </p>
  );
}

/** The save button, with the form's error beside it. */
export function Save(props: { changed: boolean; fault?: string | null; busy: boolean; label?: string }) {
  return (
    <p className="flex min-h-7 flex-wrap items-center gap-3">
      <button
        type="submit"
        className="btn btn-primary"
        disabled={!props.changed || props.fault != null || props.busy}
      >
        {props.label ?? t.settings.form.save}
      </button>
      <span role="status" className={props.fault == null ? "text-sm text-soft" : "text-sm text-fail"}>
        {props.fault ?? (props.changed ? t.settings.form.unsaved : "")}
      </span>
    </p>
  );
}
