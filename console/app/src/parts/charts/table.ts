// The data of a chart as a table.

export type Table = { head: readonly string[]; rows: readonly (readonly string[])[] };

/** The table as CSV. A cell that a spreadsheet would read as a formula is escaped. */
export function csv(table: Table): string {
  const cell = (text: string) => {
    const safe = /^[=+@]/.test(text) ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [table.head, ...table.rows].map((row) => row.map(cell).join(",")).join("\n");
}
