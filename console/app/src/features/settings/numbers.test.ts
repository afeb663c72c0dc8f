// Numbers in forms.
import { afterEach, expect, it } from "vitest";
import { loadTexts } from "../../texts";
import { asDecimal, asPercent, readCount, readDecimal, readPercent } from "./numbers";
import { neighbourOf, SECTIONS } from "./sections";

afterEach(() => loadTexts("en"));

it("reads whole numbers, and an empty field as null", () => {
  expect(readCount("200,000", "Tokens", 1, 1e9)).toEqual({ value: 200_000, fault: null });
  expect(readCount(" ", "Tokens", 1, 1e9)).toEqual({ value: null, fault: null });
  for (const wrong of ["0", "1.5", "-3", "many", "1e12"]) {
    expect(readCount(wrong, "Tokens", 1, 1e9).fault).toContain("Tokens");
  }
});

it("reads percentages within the limits, and never an empty field as zero", () => {
  expect(readPercent("12.5 %", "Holdout", 50)).toEqual({ value: 0.125, fault: null });
  expect(readPercent("0", "Holdout", 50)).toEqual({ value: 0, fault: null });
  for (const wrong of ["", "51", "-1", "x"]) expect(readPercent(wrong, "Holdout", 50).value).toBeNull();
});

it("shows a share as it was entered", () => {
  for (const text of ["10", "0.1", "29", "33.33"]) {
    const read = readPercent(text, "Share", 100);
    expect(asPercent(read.value ?? -1)).toBe(text);
  }
});

it("reads numbers with a fraction within the limits", () => {
  expect(readDecimal(" 0.25 ", "Score", 0, 1)).toEqual({ value: 0.25, fault: null });
  expect(readDecimal("0", "Score", 0, 1)).toEqual({ value: 0, fault: null });
  for (const wrong of ["", "1.1", "-0.1", "x"]) {
    expect(readDecimal(wrong, "Score", 0, 1).fault).toBe("Score: enter a number from 0 to 1.");
  }
  expect([asDecimal(72), asDecimal(0.025), asDecimal(1_000.5)]).toEqual(["72", "0.025", "1000.5"]);
});

it("reads and shows numbers as German readers write them", async () => {
  await loadTexts("de");
  expect(readCount("200.000", "Tokens", 1, 1e9)).toEqual({ value: 200_000, fault: null });
  for (const wrong of ["1,5", "1.5", "200,000"]) {
    expect(readCount(wrong, "Tokens", 1, 1e9).fault).toBe(
      "Tokens: Geben Sie eine ganze Zahl von 1 bis 1.000.000.000 ein, oder lassen Sie das Feld leer.",
    );
  }
  expect(asPercent(0.125)).toBe("12,5");
  expect(readPercent("12,5", "Anteil", 50).value).toBe(0.125);
  expect(asDecimal(0.5)).toBe("0,5");
  expect(readDecimal("0,5", "Punktzahl", 0, 1).value).toBe(0.5);
});

it("moves between sections and stops at the ends", () => {
  const last = SECTIONS.length - 1;
  expect(neighbourOf("project", 1)).toBe("keys");
  expect(neighbourOf("project", -1)).toBe("project");
  expect(neighbourOf(SECTIONS[last]?.path, 1)).toBe(SECTIONS[last]?.path);
});
