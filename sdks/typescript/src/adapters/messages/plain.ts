/**
 * Reads objects of other libraries, and converts them to JSON data. Nothing here throws: a strange value of a tool must
 * not prevent its run from being stored.
 */

import { asText } from "../../recorder/index.js";

export type Fields = Record<string, unknown>;

/** Deeper than real messages; the server rejects a depth of 128. */
const MAX_DEPTH = 100;
/** More objects than a real message has. Limits the expansion of structures with many cycles. */
const MAX_OBJECTS = 100_000;
/** Longer base64 texts are removed. A real text of this length contains whitespace. */
const MAX_BASE64 = 2048;

const DATA_URL = /^data:[^,]{0,200};base64,/;
const BASE64 = /^[A-Za-z0-9+/_=-]+$/;
const CUT = "…";

/** A field of an object; undefined if it is missing or cannot be read. */
export function read(value: unknown, name: string): unknown {
  if (value === null || typeof value !== "object") return undefined;
  try {
    return (value as Fields)[name];
  } catch {
    // A getter of another library's class can throw anything.
    return undefined;
  }
}

/** The same if it is a non-empty string. */
export function readText(value: unknown, name: string): string | undefined {
  const found = read(value, name);
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** The same if it is an array; otherwise an empty one. */
export function readList(value: unknown, name: string): readonly unknown[] {
  const found = read(value, name);
  return Array.isArray(found) ? found : [];
}

/** Whether it is an object with fields: not null, not an array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text unchanged, an absent value as an empty text, other values as JSON. Long base64 texts are left out. */
export function textOf(value: unknown): string {
  return asText(value instanceof Error ? value : plain(value));
}

/** A copy as JSON data: without cycles, functions and absent fields, and with long base64 texts replaced by their length. */
export function plain(value: unknown): unknown {
  return copied(value, [], { left: MAX_OBJECTS });
}

/** The same as an object; another value is stored under `value`. */
export function plainFields(value: unknown): Fields {
  const found = plain(value);
  return isFields(found) ? found : { value: found };
}

function copied(value: unknown, around: readonly object[], count: { left: number }): unknown {
  switch (typeof value) {
    case "string":
      return withoutBytes(value);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return String(value);
    case "boolean":
      return value;
    case "object":
      return value === null ? null : copiedObject(value, around, count);
    default:
      return undefined;
  }
}

function copiedObject(value: object, around: readonly object[], count: { left: number }): unknown {
  count.left -= 1;
  if (around.length >= MAX_DEPTH || count.left < 0 || around.includes(value)) return CUT;
  const inside = [...around, value];
  try {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
      return `(${value.byteLength} bytes left out)`;
    const list = Array.isArray(value) || value instanceof Set;
    if (list) return [...value].map((entry) => copied(entry, inside, count) ?? null);
    if (value instanceof Error) return asText(value);
    const toJson = read(value, "toJSON");
    if (typeof toJson === "function") return copied(toJson.call(value), inside, count);
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    const kept: Fields = {};
    for (const [name, entry] of entries) {
      const found = copied(entry, inside, count);
      if (found !== undefined) kept[String(name)] = found;
    }
    return kept;
  } catch {
    return CUT;
  }
}

function withoutBytes(text: string): string {
  if (text.length <= MAX_BASE64) return text;
  const head = DATA_URL.exec(text)?.[0];
  if (head !== undefined) return `${head}(${text.length - head.length} characters left out)`;
  // Checking the start first avoids searching long texts.
  const encoded = BASE64.test(text.slice(0, MAX_BASE64)) && BASE64.test(text);
  return encoded ? `(${text.length} characters of base64 left out)` : text;
}
