// A JSON value as a tree that is walked only where somebody looks.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Path = readonly (string | number)[];

/** How many levels are open at first, and how many children are shown at a time. */
export const OPEN_LEVELS = 2;
export const PAGE = 100;
export const STRING_CLAMP = 200;
/** A search looks at no more than this. */
const MOST_NODES = 50_000;

/** The children of a value, with the names they have in it. */
export function childrenOf(value: Json): [string | number, Json][] {
  if (Array.isArray(value)) return value.map((child, index) => [index, child]);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

export const isBranch = (value: Json): value is Json[] | { [key: string]: Json } =>
  typeof value === "object" && value !== null;

/** What a closed branch says of itself. */
export function summary(value: Json): string {
  if (Array.isArray(value))
    return value.length === 1 ? "[1 entry]" : `[${value.length.toLocaleString()} entries]`;
  const count = typeof value === "object" && value !== null ? Object.keys(value).length : 0;
  return count === 1 ? "{1 field}" : `{${count.toLocaleString()} fields}`;
}

/** A path as it is written in code. */
export function pathLabel(path: Path): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    return /^[A-Za-z_][\w]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return `$${steps.join("")}`;
}

/** A name for a path that no other path has. */
export const pathKey = (path: Path): string => JSON.stringify(path);

export type Found = {
  matches: Path[];
  /** Every branch that must be open to see them. */ open: Set<string>;
  cut: boolean;
};

/** Where a text occurs, in names and in values, in the order of the tree. */
export function search(root: Json, text: string): Found {
  const wanted = text.toLowerCase();
  const found: Found = { matches: [], open: new Set(), cut: false };
  if (wanted === "") return found;
  const waiting: [Path, Json][] = [[[], root]];
  let looked = 0;
  // Not by recursion: a value may be nested deeper than the stack.
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    looked += 1;
    if (looked > MOST_NODES) {
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

/** The value of a text that is JSON and has structure; undefined for any other text. */
export function parsed(text: string): Json | undefined {
  const start = text.trimStart().charAt(0);
  if (start !== "{" && start !== "[") return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
