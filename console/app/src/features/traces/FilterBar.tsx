// The filter bar. What stands in it stands in the address.
import type { RefObject } from "react";
import { shown } from "../../parts/reveal";
import { useWritten } from "../../parts/useWritten";
import { type Word, without, wordsOf } from "./filter";

export function FilterBar(props: {
  value: string;
  onChange: (value: string) => void;
  field: RefObject<HTMLInputElement | null>;
  label: string;
  hint: string;
  /** What can be asked for, offered while typing. */
  offers: readonly string[];
}) {
  const { text, setText, setSent } = useWritten(props.value);
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
        {props.offers.map((offer) => (
          <option key={offer}>{offer}</option>
        ))}
      </datalist>
    </form>
  );
}

/** The words of a filter as chips that can be taken away, and what is wrong with some of them. */
export function Chips(props: {
  value: string;
  onChange: (value: string) => void;
  /** How the words are read; as a filter for traces, unless said otherwise. */
  read?: (text: string) => Word[];
}) {
  const words = (props.read ?? wordsOf)(props.value);
  if (words.length === 0) return null;
  return (
    <ul aria-label="Filter" className="flex flex-wrap gap-1.5">
      {words.map((word) => (
        <li key={word.text}>
          <Chip word={word} onRemove={() => props.onChange(without(props.value, word))} />
        </li>
      ))}
    </ul>
  );
}

function Chip(props: { word: Word; onRemove: () => void }) {
  const { word } = props;
  return (
    <span className={`chip ${word.problem === null ? "" : "bg-fail-tint text-fail"}`}>
      {shown(word.text)}
      {word.problem === null ? null : <span>: {word.problem}</span>}
      <button
        type="button"
        className="h-6 w-6 hover:text-accent"
        aria-label={`Take away ${word.text}`}
        onClick={props.onRemove}
      >
        <span aria-hidden="true">×</span>
      </button>
    </span>
  );
}
