// Both catalogues are complete.
import { isValidElement, type ReactNode } from "react";
import { type ESTree, parseSync, Visitor } from "vite";
import { expect, it } from "vitest";
import { de } from "./de";
import { en } from "./en";

/** Texts that are the same in German. */
const SAME = new Set([
  "(n = )",
  "Admin",
  "CI",
  "Details",
  "Filter",
  "GB",
  "ID",
  "in",
  "JSON",
  "kB",
  "Limit",
  "MB",
  "Merges",
  "Name",
  "Normal",
  "Server",
  "Status",
  "System",
  "Tests",
  "Text",
  "Tickets",
  "Tokens",
  "Version",
  "Webhooks",
  "Webhooks ()",
]);
/** Properties of elements that are not shown. */
const NOT_SHOWN = new Set(["className", "fileName"]);

type Entry = {
  path: string;
  text: string;
  /** A text with values may consist of values only. */
  hasValues: boolean;
};

/** All texts of a catalogue. A text with values is given without them. */
function entries(node: unknown, path = ""): Entry[] {
  if (typeof node === "string") return [{ path, text: node.trim(), hasValues: false }];
  if (typeof node === "function") return [{ path, text: literalsOf(String(node)), hasValues: true }];
  if (isValidElement(node)) return [{ path, text: contentOf(node).trim(), hasValues: false }];
  // Some places have no text on purpose.
  if (node === null || node === undefined) return [];
  const children = Object.entries(node);
  return children.flatMap(([name, child]) => entries(child, path === "" ? name : `${path}.${name}`));
}

function contentOf(node: ReactNode): string {
  if (Array.isArray(node)) return node.map(contentOf).join("");
  if (isValidElement<{ children?: ReactNode }>(node)) return contentOf(node.props.children);
  return typeof node === "string" ? node : "";
}

/** The literals in the source code of a function. */
function literalsOf(source: string): string {
  const found: string[] = [];
  const ignored = new Set<ESTree.Node>();
  new Visitor({
    CallExpression: ({ callee, arguments: [element] }) => {
      // The name of an element.
      const isElement = /jsx/i.test(source.slice(callee.start, callee.end));
      if (isElement && element !== undefined) ignored.add(element);
    },
    Property: ({ key, value }) => {
      if (key.type === "Identifier" && NOT_SHOWN.has(key.name)) ignored.add(value);
    },
    Literal: (node) => {
      if (typeof node.value === "string" && !ignored.has(node)) found.push(node.value);
    },
    TemplateElement: (node) => void found.push(node.value.cooked ?? ""),
  }).visit(parseSync("source.js", `x = ${source}`).program);
  return found.join("").trim();
}

it.each([
  ["English", en],
  ["German", de],
])("has no empty %s text", (_, catalogue) => {
  const all = entries(catalogue);
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter(({ text, hasValues }) => text === "" && !hasValues)).toEqual([]);
});

it("has German texts for all English ones", () => {
  const english = new Map(entries(en).map(({ path, text }) => [path, text]));
  const same = entries(de).filter(
    ({ path, text }) => english.get(path) === text && /\p{L}/u.test(text) && !SAME.has(text),
  );
  expect(same.map(({ path, text }) => `${path}: ${text}`)).toEqual([]);
});
