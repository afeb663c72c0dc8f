// Numbers in forms.
import { expect, it } from "vitest";
import { asPercent, readCount, readPercent } from "./numbers";
import { beside, SECTIONS } from "./sections";

it("reads whole numbers, and nothing as nothing", () => {
  expect(readCount("200,000", "Tokens", 1, 1e9)).toEqual({ value: 200_000, fault: null });
  expect(readCount(" ", "Tokens", 1, 1e9)).toEqual({ value: null, fault: null });
  for (const wrong of ["0", "1.5", "-3", "many", "1e12"]) {
    expect(readCount(wrong, "Tokens", 1, 1e9).fault).toContain("Tokens");
  }
});

it("reads percent within its limits, and never an empty field as zero", () => {
  expect(readPercent("12.5 %", "Holdout", 50)).toEqual({ value: 0.125, fault: null });
  expect(readPercent("0", "Holdout", 50)).toEqual({ value: 0, fault: null });
  for (const wrong of ["", "51", "-1", "x"]) expect(readPercent(wrong, "Holdout", 50).value).toBeNull();
});

it("shows a share as it was written", () => {
  for (const text of ["10", "0.1", "29", "33.33"]) {
    const read = readPercent(text, "Share", 100);
    expect(asPercent(read.value ?? -1)).toBe(text);
  }
});

it("goes from section to section and stops at the ends", () => {
  const last = SECTIONS.length - 1;
  expect(beside("project", 1)).toBe("keys");
  expect(beside("project", -1)).toBe("project");
  expect(beside(SECTIONS[last]?.path, 1)).toBe(SECTIONS[last]?.path);
});
