// @vitest-environment jsdom
// Common filters as toggle buttons.
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { type CommonFilter, CommonFilters } from "./FilterChips";

const FILTERS: readonly CommonFilter[] = [
  { label: "Active", term: "status:active", count: { count: 1200, more: false } },
  { label: "Pinned", term: "pinned:true", count: { count: 100, more: true } },
  { label: "Worse", term: "credit:<0.5", excludes: ["pinned:true"] },
];

afterEach(cleanup);

function draw(value: string) {
  const changed = vi.fn<(value: string) => void>();
  render(<CommonFilters label="Common filters" filters={FILTERS} value={value} onChange={changed} />);
  return changed;
}

it("shows which filters are on, and the counts that are known", () => {
  draw("pinned:true dates");
  expect(screen.getByRole("list", { name: "Common filters" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Active 1,200", pressed: false })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Pinned 100+", pressed: true })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Worse", pressed: false })).toBeTruthy();
});

it("adds a term to the filter, or removes it", () => {
  const changed = draw("pinned:true dates");
  fireEvent.click(screen.getByRole("button", { name: "Pinned 100+" }));
  expect(changed).toHaveBeenLastCalledWith("dates");
  fireEvent.click(screen.getByRole("button", { name: "Active 1,200" }));
  expect(changed).toHaveBeenLastCalledWith("status:active pinned:true dates");
  fireEvent.click(screen.getByRole("button", { name: "Worse" }));
  expect(changed).toHaveBeenLastCalledWith("credit:<0.5 dates");
});
