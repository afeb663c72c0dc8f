// Common filters as toggle buttons beside the filter text. Each one adds its term to the filter or removes it.
import { Check } from "lucide-react";
import { hasTerm, toggledTerm } from "./filter-terms";
import { atLeast } from "./time";

export type CommonFilter = {
  label: string;
  term: string;
  /** Terms that match nothing together with this one. A term of the same field is replaced anyway. */
  excludes?: readonly string[];
  /** How many entries match, if it is known. */
  count?: { count: number; more: boolean } | undefined;
};

export function CommonFilters(props: {
  label: string;
  filters: readonly CommonFilter[];
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <ul
      aria-label={props.label}
      className="flex flex-wrap gap-1.5 max-md:-m-1 max-md:w-full max-md:flex-nowrap max-md:overflow-x-auto max-md:p-1"
    >
      {props.filters.map(({ label, term, excludes, count }) => {
        const isOn = hasTerm(props.value, term);
        return (
          <li key={term}>
            <button
              type="button"
              aria-pressed={isOn}
              className={`btn btn-small ${isOn ? "border-accent bg-accent-tint" : ""}`}
              onClick={() => props.onChange(toggledTerm(props.value, term, excludes))}
            >
              {isOn ? <Check size={13} aria-hidden="true" /> : null}
              {label}{" "}
              {count === undefined ? null : (
                <span className="text-soft">{atLeast(count.count, count.more)}</span>
              )}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
