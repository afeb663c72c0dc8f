// What was measured, in lines that can be read and compared.

/** Whether the server is built as it is shipped, so that what it adds to a page's time may fail a test. */
export const isReleased = process.env.REFLECT_RELEASED === "1";

/** Prints a figure beside its budget. */
export function figure(name: string, value: number, unit: string, budget: number, note = ""): void {
  const said = `${value.toFixed(value < 10 ? 1 : 0)} ${unit} of ${budget.toLocaleString("en")} ${unit}`;
  process.stdout.write(`     figure: ${name.padEnd(44)} ${said}${note === "" ? "" : `  (${note})`}\n`);
}
