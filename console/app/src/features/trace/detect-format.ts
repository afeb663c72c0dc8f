// Detects the format of a text in a run.
import { type Json, parsed } from "../../parts/json";

export type DetectedFormat = { form: "json"; value: Json } | { form: "diff" | "table" | "trace" | "text" };

/** Longer texts are shown as plain text, because parsing them would be slow. */
const MAX_LENGTH = 1024 * 1024;

export function detectFormat(text: string): DetectedFormat {
  if (text.length > MAX_LENGTH) return { form: "text" };
  const value = parsed(text);
  if (value !== undefined) return { form: "json", value };
  if (/^(?:diff --git |--- \S.*\n\+\+\+ \S|@@ -\d+)/m.test(text)) return { form: "diff" };
  if (/^Traceback \(most recent call last\)|^\s+at \S+ ?\(.*:\d+|^thread '.*' panicked/m.test(text))
    return { form: "trace" };
  return { form: isTable(text) ? "table" : "text" };
}

/** Longer tables are cut. */
export const MAX_ROWS = 200;

function isTable(text: string): boolean {
  const lines = text.trimEnd().split("\n", 4);
  if (lines.length < 2) return false;
  const separator = lines[0]?.includes("\t") === true ? "\t" : ",";
  const counts = lines.map((line) => line.split(separator).length);
  return (
    (counts[0] ?? 0) >= 2 && counts.every((count) => count === counts[0]) && !/[.!?]$/m.test(lines[0] ?? "")
  );
}

/** The cells of a simple table. A quoted cell may contain the separator. */
export function cells(text: string): { rows: string[][]; cut: boolean } {
  const lines = text.trimEnd().split("\n");
  const separator = lines[0]?.includes("\t") === true ? "\t" : ",";
  const rows = lines.slice(0, MAX_ROWS).map((line) => splitRow(line, separator));
  return { rows, cut: lines.length > MAX_ROWS };
}

function splitRow(line: string, separator: string): string[] {
  const row: string[] = [];
  let cell = "";
  let quoted = false;
  for (const sign of line) {
    if (sign === '"') quoted = !quoted;
    else if (sign === separator && !quoted) {
      row.push(cell);
      cell = "";
    } else cell += sign;
  }
  return [...row, cell];
}
