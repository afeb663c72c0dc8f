// A chart's numbers for a spreadsheet.
import { expect, it } from "vitest";
import { csv } from "./table";

it("has a line for each row, and quotes what would break one", () => {
  expect(
    csv({
      head: ["Day", "n"],
      rows: [
        ["Nov 1, 2026", "3"],
        ['a "b"', "4"],
      ],
    }),
  ).toBe('Day,n\n"Nov 1, 2026",3\n"a ""b""",4');
});

it("keeps a cell that begins like a formula as text", () => {
  expect(csv({ head: ["x"], rows: [["=1+1"]] })).toBe("x\n'=1+1");
});
