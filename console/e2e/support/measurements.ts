// Prints measurements.

/** Whether the server is a release build. Only then may its response times fail a test. */
export const isReleased = process.env.REFLECT_RELEASED === "1";

/** Prints a measurement with its budget. */
export function printMeasurement(name: string, value: number, unit: string, budget: number, note = ""): void {
  const said = `${value.toFixed(value < 10 ? 1 : 0)} ${unit} of ${budget.toLocaleString("en")} ${unit}`;
  process.stdout.write(`     figure: ${name.padEnd(44)} ${said}${note === "" ? "" : `  (${note})`}\n`);
}
