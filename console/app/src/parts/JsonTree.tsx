// A JSON viewer: two levels open, long lists in pages, with a search.
import { ChevronDown, ChevronRight, Copy } from "lucide-react";
import { createContext, useContext, useDeferredValue, useMemo, useState } from "react";
import { t } from "../texts";
import {
  childrenOf,
  isBranch,
  type Json,
  OPEN_LEVELS,
  PAGE,
  type Path,
  pathKey,
  pathLabel,
  search,
  STRING_CLAMP,
  summary,
} from "./json";
import { shown } from "./reveal";
import { atLeast } from "./time";

type Looking = { open: Set<string>; matches: Set<string> };
const Context = createContext<Looking>({ open: new Set(), matches: new Set() });

export function JsonTree(props: { value: Json; label: string; searchable?: boolean; levels?: number }) {
  const [text, setText] = useState("");
  const wanted = useDeferredValue(text);
  const found = useMemo(() => search(props.value, wanted), [props.value, wanted]);
  const looking = useMemo(
    () => ({ open: found.open, matches: new Set(found.matches.map(pathKey)) }),
    [found],
  );
  return (
    <div>
      {props.searchable === true ? (
        <div className="mb-1 flex items-center gap-2">
          <input
            type="search"
            aria-label={t.parts.json.searchIn(props.label)}
            placeholder={t.parts.json.placeholder}
            className="field max-w-64"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <span role="status" className="text-xs text-soft">
            {wanted === "" ? "" : t.parts.json.found(atLeast(found.matches.length, found.cut))}
          </span>
        </div>
      ) : null}
      <Context value={looking}>
        <ul aria-label={props.label} className="plain-run leading-6">
          <Node name={null} value={props.value} path={[]} levels={props.levels ?? OPEN_LEVELS} />
        </ul>
      </Context>
    </div>
  );
}

function Node(props: { name: string | number | null; value: Json; path: Path; levels: number }) {
  const { open: found, matches } = useContext(Context);
  const key = pathKey(props.path);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const [count, setCount] = useState(PAGE);
  const branch = isBranch(props.value);
  const open = chosen ?? (found.has(key) || props.path.length < props.levels);
  const children = branch && open ? childrenOf(props.value) : [];
  const name = props.name === null ? null : <span className="text-accent">{shown(String(props.name))}</span>;
  return (
    <li className={matches.has(key) ? "bg-warn-tint" : undefined}>
      <div className="group flex items-start gap-1">
        {branch ? (
          <button
            type="button"
            aria-expanded={open}
            className="flex items-center gap-1 rounded text-start hover:bg-sunken"
            onClick={() => setChosen(!open)}
          >
            {open ? (
              <ChevronDown size={12} aria-hidden="true" />
            ) : (
              <ChevronRight size={12} aria-hidden="true" />
            )}
            {name} <span className="text-soft">{summary(props.value)}</span>
          </button>
        ) : (
          <span className="ps-4">
            {name}
            {name === null ? "" : ": "}
            <Leaf value={props.value} />
          </span>
        )}
        <CopyButtons path={props.path} value={props.value} />
      </div>
      {children.length > 0 ? (
        <ul className="ps-4">
          {children.slice(0, count).map(([childName, child]) => (
            <Node
              key={childName}
              name={childName}
              value={child}
              path={[...props.path, childName]}
              levels={props.levels}
            />
          ))}
          {children.length > count ? (
            <li>
              <button type="button" className="btn btn-small my-1" onClick={() => setCount(count + PAGE)}>
                {t.parts.json.more(Math.min(PAGE, children.length - count), children.length)}
              </button>
            </li>
          ) : null}
        </ul>
      ) : null}
    </li>
  );
}

function Leaf(props: { value: Json }) {
  const [whole, setWhole] = useState(false);
  if (typeof props.value !== "string") return <span className="text-warn">{String(props.value)}</span>;
  const cut = !whole && props.value.length > STRING_CLAMP;
  return (
    <span>
      “{shown(cut ? props.value.slice(0, STRING_CLAMP) : props.value)}”
      {cut ? (
        <button type="button" className="btn btn-small ms-1" onClick={() => setWhole(true)}>
          {t.parts.json.allCharacters(props.value.length)}
        </button>
      ) : null}
    </span>
  );
}

function CopyButtons(props: { path: Path; value: Json }) {
  const { json: texts } = t.parts;
  const label = pathLabel(props.path);
  const copy = (text: string) => void navigator.clipboard.writeText(text);
  return (
    <span className="flex opacity-0 focus-within:opacity-100 group-hover:opacity-100">
      <button
        type="button"
        className="h-6 w-6 text-soft hover:text-ink"
        title={texts.copyPath}
        aria-label={texts.copyPathOf(label)}
        onClick={() => copy(label)}
      >
        <span aria-hidden="true">$</span>
      </button>
      <button
        type="button"
        className="flex h-6 w-6 items-center justify-center text-soft hover:text-ink"
        title={texts.copyValue}
        aria-label={texts.copyValueOf(label)}
        onClick={() =>
          copy(typeof props.value === "string" ? props.value : JSON.stringify(props.value, null, 2))
        }
      >
        <Copy size={11} aria-hidden="true" />
      </button>
    </span>
  );
}
