// Predefined views, and the order of the list.
import { Link } from "@tanstack/react-router";
import type { MemorySort } from "../../api/memories";
import { DEFAULT_SORT, SORTS } from "./sort";
import { VIEWS } from "./views";

export function Views(props: { project: string; q: string; sort: MemorySort }) {
  return (
    <nav aria-label="Views" className="flex flex-wrap gap-1">
      {VIEWS.map((view) => {
        const here = view.q === props.q && view.sort === props.sort;
        return (
          <Link
            key={view.name}
            to="/p/$project/memories"
            params={{ project: props.project }}
            search={{
              ...(view.q === "" ? {} : { q: view.q }),
              ...(view.sort === DEFAULT_SORT ? {} : { sort: view.sort }),
            }}
            aria-current={here ? "true" : undefined}
            className={`btn btn-small ${here ? "bg-accent-tint font-semibold" : ""}`}
          >
            {view.name}
          </Link>
        );
      })}
    </nav>
  );
}

export function SortField(props: { value: MemorySort; onChange: (sort: MemorySort) => void }) {
  return (
    <label className="flex items-center gap-1.5 text-sm text-soft">
      Order
      <select
        className="field w-auto text-sm"
        value={props.value}
        onChange={(event) => props.onChange(event.target.value as MemorySort)}
      >
        {Object.entries(SORTS).map(([sort, name]) => (
          <option key={sort} value={sort}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
