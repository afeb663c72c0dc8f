// Which list is shown, predefined views, and the order of the list.
import { Link } from "@tanstack/react-router";
import type { MemorySort } from "../../api/memories";
import { DEFAULT_SORT, SORTS } from "./sort";
import { VIEWS } from "./views";

type List = "lessons" | "situations";
type Props = { project: string; q: string; sort: MemorySort; list: List };

/** The search parameters of a list, without default values. */
const searchOf = (list: List, q: string, sort: MemorySort) => ({
  ...(list === "situations" ? { list } : {}),
  ...(q === "" ? {} : { q }),
  ...(sort === DEFAULT_SORT ? {} : { sort }),
});

const LISTS: readonly { list: List; name: string; about: string }[] = [
  { list: "lessons", name: "Lessons", about: "What was learned, each text once" },
  { list: "situations", name: "Situations", about: "The tasks that lessons were learned from" },
];

export function ListSwitch(props: Props) {
  return (
    <nav aria-label="List" className="flex gap-1">
      {LISTS.map(({ list, name, about }) => (
        <Link
          key={list}
          to="/p/$project/memories"
          params={{ project: props.project }}
          search={searchOf(list, props.q, props.sort)}
          title={about}
          aria-current={list === props.list ? "true" : undefined}
          className={`btn btn-small ${list === props.list ? "bg-accent-tint font-semibold" : ""}`}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

export function Views(props: Props) {
  return (
    <nav aria-label="Views" className="flex flex-wrap gap-1">
      {VIEWS.map((view) => {
        const here = view.q === props.q && view.sort === props.sort;
        return (
          <Link
            key={view.name}
            to="/p/$project/memories"
            params={{ project: props.project }}
            search={searchOf(props.list, view.q, view.sort)}
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
