// A JSON value as a tree, expanded on demand.
import { t } from "../texts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Path = readonly (string | number)[];

/** The number of open levels at first, and the number of children per page. */
export const OPEN_LEVELS = 2;
export const PAGE = 100;
export const STRING_CLAMP = 200;
/** The maximum number of nodes that a search visits. */
const MAX_NODES = 50_000;

/** The children of a value with their keys. */
export function childrenOf(value: Json): [string | number, Json][] {
  if (Array.isArray(value)) return value.map((child, index) => [index, child]);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

export const isBranch = (value: Json): value is Json[] | { [key: string]: Json } =>
  typeof value === "object" && value !== null;

/** The label of a closed branch. */
export function summary(value: Json): string {
  if (Array.isArray(value)) return `[${t.parts.json.entries(value.length)}]`;
  const count = typeof value === "object" && value !== null ? Object.keys(value).length : 0;
  return `{${t.parts.json.fields(count)}}`;
}

/** A path in code notation. */
export function pathLabel(path: Path): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    return /^[A-Za-z_][\w]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return `$${steps.join("")}`;
}

/** A unique key for a path. */
export const pathKey = (path: Path): string => JSON.stringify(path);

export type Found = {
  matches: Path[];
  /** The branches that must be open to show the matches. */ open: Set<string>;
  cut: boolean;
};

/** Finds a text in keys and values, in tree order. */
export function search(root: Json, text: string): Found {
  const wanted = text.toLowerCase();
  const found: Found = { matches: [], open: new Set(), cut: false };
  if (wanted === "") return found;
  const waiting: [Path, Json][] = [[[], root]];
  let looked = 0;
  // Not recursive: a value may be nested deeper than the stack.
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    looked += 1;
    if (looked > MAX_NODES) {
      found.cut = true;
      break;
    }
    const [path, value] = next;
    const name = path.at(-1);
    const matches =
      (typeof name === "string" && name.toLowerCase().includes(wanted)) ||
      (!isBranch(value) && String(value).toLowerCase().includes(wanted));
    if (matches) {
      found.matches.push(path);
      for (let end = 0; end < path.length; end += 1) found.open.add(pathKey(path.slice(0, end)));
    }
    if (isBranch(value)) {
      const children = childrenOf(value);
      for (let index = children.length - 1; index >= 0; index -= 1) {
        const child = children[index];
        if (child !== undefined) waiting.push([[...path, child[0]], child[1]]);
      }
    }
  }
  return found;
}

/** Parses a text that is a JSON object or array; undefined for any other text. */
export function parsed(text: string): Json | undefined {
  const start = text.trimStart().charAt(0);
  if (start !== "{" && start !== "[") return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
