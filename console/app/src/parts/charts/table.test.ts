// CSV export of chart data.
import { expect, it } from "vitest";
import { csv } from "./table";

it("has one line per row, and quotes special characters", () => {
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

it("escapes a cell that starts like a formula", () => {
  expect(csv({ head: ["x"], rows: [["=1+1"]] })).toBe("x\n'=1+1");
});
