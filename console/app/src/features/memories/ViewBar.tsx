// Which list is shown, predefined views, and the order of the list.
import { Link } from "@tanstack/react-router";
import type { MemorySort } from "../../api/memories";
import { t } from "../../texts";
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

const LISTS: readonly List[] = ["lessons", "situations"];

export function ListSwitch(props: Props) {
  const { lists: texts } = t.memories;
  return (
    <nav aria-label={texts.label} className="flex gap-1">
      {LISTS.map((list) => (
        <Link
          key={list}
          to="/p/$project/memories"
          params={{ project: props.project }}
          search={searchOf(list, props.q, props.sort)}
          title={texts[list].about}
          aria-current={list === props.list ? "true" : undefined}
          className={`btn btn-small ${list === props.list ? "bg-accent-tint font-semibold" : ""}`}
        >
          {texts[list].name}
        </Link>
      ))}
    </nav>
  );
}

export function Views(props: Props) {
  const { views: texts } = t.memories;
  return (
    <nav
      aria-label={texts.label}
      className="flex flex-wrap gap-1 max-md:w-full max-md:flex-nowrap max-md:overflow-x-auto"
    >
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
            {texts[view.name]}
          </Link>
        );
      })}
    </nav>
  );
}

export function SortField(props: { value: MemorySort; onChange: (sort: MemorySort) => void }) {
  const { order, sorts } = t.memories;
  return (
    <label className="flex items-center gap-1.5 text-sm text-soft">
      {order}
      <select
        className="field w-auto text-sm"
        value={props.value}
        onChange={(event) => props.onChange(event.target.value as MemorySort)}
      >
        {SORTS.map((sort) => (
          <option key={sort} value={sort}>
            {sorts[sort]}
          </option>
        ))}
      </select>
    </label>
  );
}
