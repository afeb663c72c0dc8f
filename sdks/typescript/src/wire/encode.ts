/** Encodes user data as JSON. A run must not be lost because one of its messages contains a cycle or a BigInt. */

// Deeper than real messages; the server rejects a depth of 128.
const MAX_DEPTH = 100;

/** JSON of anything. Never throws. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, replacer) ?? "null";
  } catch {
    return JSON.stringify(plain(() => value, [])) ?? "null";
  }
}

/** A value of a class that JSON does not know, as plain data. */
function replacer(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}`;
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  return ArrayBuffer.isView(value) ? `[${value.byteLength} bytes]` : value;
}

/** A copy without cycles and without anything that throws. `around` has the enclosing objects. */
function plain(read: () => unknown, around: readonly object[]): unknown {
  try {
    let value = read();
    const { toJSON } = Object(value) as { toJSON?: () => unknown };
    if (typeof toJSON === "function") value = toJSON.call(value);
    value = replacer("", value);
    if (typeof value !== "object" || value === null) return value;
    if (around.includes(value) || around.length >= MAX_DEPTH) return "…";
    const fields = value as Record<string, unknown>;
    const inside = [...around, value];
    if (Array.isArray(value)) return value.map((entry) => plain(() => entry, inside));
    return Object.fromEntries(Object.keys(fields).map((name) => [name, plain(() => fields[name], inside)]));
  } catch {
    // A property of another library's class may throw anything.
    return "…";
  }
}
