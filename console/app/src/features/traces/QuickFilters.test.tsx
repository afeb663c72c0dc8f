// @vitest-environment jsdom
// The common filters as toggle buttons.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { overviewQuery, queueQuery } from "../../api/queries";
import type { Overview, ReviewQueue } from "../../api/types";
import { countsOf, QuickFilters } from "./QuickFilters";

vi.mock("../../api/client", () => {
  const ask = () => new Promise(() => undefined);
  return { api: { GET: ask }, body: (answer: unknown) => answer };
});

const queue: ReviewQueue = { pending: 3, leased: 1, deferred: 2, reviewed_today: 0 };
const overview = (failures: number, failedInWeek: number) =>
  ({
    failures: Array.from({ length: failures }, () => ({})),
    reflections: { made: 0, failed: failedInWeek, queued: 0 },
  }) as unknown as Overview;

afterEach(cleanup);

function draw(filter: string, known: { queue?: ReviewQueue; overview?: Overview } = {}) {
  const client = new QueryClient();
  client.setQueryData(queueQuery("p").queryKey, known.queue);
  client.setQueryData(overviewQuery("p").queryKey, known.overview);
  const changed = vi.fn<(filter: string) => void>();
  function Page() {
    const [value, setValue] = useState(filter);
    return (
      <QuickFilters
        project="p"
        value={value}
        onChange={(text) => {
          setValue(text);
          changed(text);
        }}
      />
    );
  }
  render(
    <QueryClientProvider client={client}>
      <Page />
    </QueryClientProvider>,
  );
  return changed;
}

const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const pressed = () => screen.getAllByRole("button", { pressed: true }).map((button) => button.textContent);

it("shows counts where they are known", () => {
  draw("", { queue, overview: overview(2, 1) });
  const names = screen.getAllByRole("button").map((button) => button.textContent?.trim());
  expect(names).toEqual(["Not reviewed 6", "Passed", "Failed", "With errors", "Learning failed 2"]);
  expect(screen.queryByRole("button", { pressed: true })).toBeNull();
});

it("shows no counts until they are loaded", () => {
  draw("");
  expect(screen.getByRole("button", { name: "Not reviewed" })).toBeTruthy();
});

it("adds its term, and removes it again", () => {
  const changed = draw("refund");
  press("With errors");
  expect(changed).toHaveBeenLastCalledWith("error:true refund");
  expect(screen.getByRole("button", { name: "With errors", pressed: true })).toBeTruthy();
  press("With errors");
  expect(changed).toHaveBeenLastCalledWith("refund");
});

it("adds its term outside an open quotation mark", () => {
  const changed = draw('"broken cup');
  press("With errors");
  expect(changed).toHaveBeenLastCalledWith('error:true "broken cup');
});

it("replaces filters that no run matches together with it", () => {
  const changed = draw("status:pending error:true", { queue });
  press("Passed");
  expect(changed).toHaveBeenLastCalledWith("result:pass error:true");
  press("Failed");
  expect(changed).toHaveBeenLastCalledWith("result:fail error:true");
  press("Learning failed");
  expect(changed).toHaveBeenLastCalledWith("learning:failed result:fail error:true");
  expect(pressed()).toHaveLength(3);
  press("Not reviewed 6");
  expect(changed).toHaveBeenLastCalledWith("status:pending error:true");
});

it("counts failures of any age up to the limit of the overview", () => {
  expect(countsOf(undefined, overview(2, 0)).learningFailed).toEqual({ count: 2, more: false });
  expect(countsOf(undefined, overview(5, 5)).learningFailed).toEqual({ count: 5, more: true });
  expect(countsOf(undefined, overview(5, 12)).learningFailed).toEqual({ count: 12, more: true });
  expect(countsOf({ ...queue, pending: 9_997 }, undefined)).toEqual({
    notReviewed: { count: 10_000, more: true },
  });
});
