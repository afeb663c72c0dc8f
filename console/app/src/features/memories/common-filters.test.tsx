// @vitest-environment jsdom
// The counts of the common filters.
import { type InfiniteData, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, it } from "vitest";
import type { Lesson } from "../../api/lessons";
import type { StoredMemory } from "../../api/memories";
import { lessonFilters, situationFilters, useLoadedRows } from "./common-filters";

const lesson = (row: Partial<Lesson>) => ({ status: "active", pinned: false, ...row }) as Lesson;
const situation = (row: Partial<StoredMemory>) =>
  ({ status: "active", pinned: false, credit: 0.5, superseded_by: null, ...row }) as StoredMemory;
const countsOf = (filters: ReturnType<typeof lessonFilters>) =>
  Object.fromEntries(filters.map(({ label, count }) => [label, count?.count]));

it("counts lessons only where their rows say which ones match", () => {
  const rows = [lesson({ pinned: true }), lesson({ status: "quarantined" }), lesson({})];
  expect(countsOf(lessonFilters(rows))).toEqual({
    Active: 2,
    "In quarantine": undefined,
    Pinned: 1,
    "Better than expected": undefined,
    "Worse than expected": undefined,
    Superseded: undefined,
    "Not in use": undefined,
  });
});

it("counts situations for every filter", () => {
  const rows = [
    situation({ pinned: true, credit: 0.7 }),
    situation({ status: "quarantined" }),
    situation({ status: "disabled", superseded_by: "other", credit: 0.4 }),
    situation({ status: "merged", credit: 0.51 }),
    situation({ status: "erased" }),
  ];
  expect(countsOf(situationFilters(rows))).toEqual({
    Active: 1,
    "In quarantine": 1,
    Pinned: 1,
    "Better than expected": 2,
    "Worse than expected": 1,
    Superseded: 1,
    "Not in use": 2,
  });
});

it("shows no counts before the whole list is loaded", () => {
  expect(Object.values(countsOf(situationFilters(undefined))).every((count) => count === undefined)).toBe(
    true,
  );
});

it("uses the list without a filter if all of it was loaded and nothing changed since", async () => {
  const client = new QueryClient();
  const key = ["p", "lesson-rows", "", "newest"];
  const wrapper = (props: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{props.children}</QueryClientProvider>
  );
  const rows = (isOnPage = false) =>
    renderHook(() => useLoadedRows<string>(key, isOnPage), { wrapper }).result.current;
  const store = (pages: { rows: string[]; next: string | undefined }[]) =>
    client.setQueryData<InfiniteData<unknown>>(key, { pages, pageParams: pages.map(() => undefined) });

  expect(rows()).toBeUndefined();
  store([{ rows: ["a"], next: "more" }]);
  expect(rows()).toBeUndefined();
  store([
    { rows: ["a"], next: "more" },
    { rows: ["b"], next: undefined },
  ]);
  expect(rows()).toEqual(["a", "b"]);
  await client.invalidateQueries({ queryKey: key });
  expect(rows()).toBeUndefined();
  expect(rows(true)).toEqual(["a", "b"]);
});
