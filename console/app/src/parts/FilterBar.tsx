// The filter bar and its chips. The text of the filter is also in the URL, and the server parses it.
import type { RefObject } from "react";
import { invalidRange } from "../api/errors";
import { t } from "../texts";
import { shown } from "./reveal";
import { type Term, termsOf, withoutTerm } from "./filter-terms";
import { useUrlText } from "./useUrlText";

export function FilterBar(props: {
  value: string;
  onChange: (value: string) => void;
  field: RefObject<HTMLInputElement | null>;
  label: string;
  hint: string;
  /** Shown while typing. */
  suggestions: readonly string[];
}) {
  const { text, setText, setSent } = useUrlText(props.value);
  const send = () => {
    setSent(text.trim());
    props.onChange(text.trim());
  };
  return (
    <form
      role="search"
      aria-label={props.label}
      className="flex min-w-72 flex-1 items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <input
        ref={props.field}
        type="search"
        aria-label={props.label}
        placeholder={props.hint}
        list="filter-fields"
        spellCheck={false}
        autoComplete="off"
        className="field max-w-xl font-mono text-sm"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={send}
      />
      <datalist id="filter-fields">
        {props.suggestions.map((suggestion) => (
          <option key={suggestion}>{suggestion}</option>
        ))}
      </datalist>
    </form>
  );
}

/** The terms of a filter as removable chips. The term that the server rejected is marked. */
export function FilterChips(props: {
  value: string;
  onChange: (value: string) => void;
  error: Error | null;
}) {
  const terms = termsOf(props.value);
  const invalid = invalidRange(props.error);
  if (terms.length === 0) return null;
  return (
    <ul aria-label={t.parts.filter.label} className="flex flex-wrap gap-1.5">
      {terms.map((term) => (
        <li key={term.start}>
          <Chip
            term={term}
            isInvalid={invalid !== null && term.start < invalid.end && invalid.start < term.end}
            onRemove={() => props.onChange(withoutTerm(props.value, term))}
          />
        </li>
      ))}
    </ul>
  );
}

function Chip(props: { term: Term; isInvalid: boolean; onRemove: () => void }) {
  const { term, isInvalid } = props;
  return (
    <span className={`chip ${isInvalid ? "bg-fail-tint text-fail" : ""}`}>
      {shown(term.text)}
      {isInvalid ? <span className="sr-only"> {t.parts.filter.invalid}</span> : null}
      <button
        type="button"
        className="h-6 w-6 hover:text-accent"
        aria-label={t.parts.filter.remove(term.text)}
        onClick={props.onRemove}
      >
        <span aria-hidden="true">×</span>
      </button>
    </span>
  );
}
