// Terms of a filter.
import { expect, it } from "vitest";
import { termsOf, withoutTerm } from "./filter-terms";

const texts = (filter: string) => termsOf(filter).map((term) => term.text);

it("splits at spaces, except inside quotation marks", () => {
  expect(texts('status:pending  refund "broken cup" model:"a b"')).toEqual([
    "status:pending",
    "refund",
    '"broken cup"',
    'model:"a b"',
  ]);
  expect(texts("  ")).toEqual([]);
});

it("keeps an unclosed quotation mark in one term", () => {
  expect(texts('refund "broken cup')).toEqual(["refund", '"broken cup']);
});

it("counts positions in characters, as the server does", () => {
  expect(termsOf("😀 colour:red")[1]).toEqual({ text: "colour:red", start: 2, end: 12 });
});

it("removes one term, and only one of two equal ones", () => {
  const filter = "refund status:pending refund";
  const [first] = termsOf(filter);
  expect(first && withoutTerm(filter, first)).toBe("status:pending refund");
});
