// @vitest-environment jsdom
// The signals about a run in its side panel.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { traceSignalsQuery } from "../../api/queries";
import type { Review, Schemas, TraceSignal } from "../../api/types";
import { Signals } from "./Signals";

const HOUR = 3_600_000;

afterEach(cleanup);

function signal(more: Partial<TraceSignal>): TraceSignal {
  return {
    id: crypto.randomUUID(),
    source: "ci",
    outcome: "fail",
    result: "fail",
    meaning: "decides",
    occurred_at: new Date(Date.now() - HOUR).toISOString(),
    received_at: new Date().toISOString(),
    by_feedback_token: false,
    ...more,
  };
}

function show(answer: Partial<Schemas["SignalsOfTrace"]>, reviewer: string | null = null): void {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(traceSignalsQuery("desk", "run").queryKey, { signals: [], withheld: 0, ...answer });
  const review = reviewer === null ? null : ({ result: "fail", reviewer } as Review);
  render(
    <QueryClientProvider client={client}>
      <Signals project="desk" trace="run" review={review} />
    </QueryClientProvider>,
  );
}

it("shows source, result, time and meaning of each signal", () => {
  show(
    {
      signals: [
        signal({
          key: { name: "commit", value: "4f2a9c1" },
          comment: "2 tests failed: rounds_down",
          url: "https://ci.example/7",
        }),
        signal({
          source: "merge",
          result: "pass",
          meaning: "waits",
          waits_until: new Date(Date.now() + 50 * HOUR).toISOString(),
        }),
        signal({ source: "nightly", result: null, outcome: null, score: 0.5, meaning: "unclear" }),
        signal({ source: "user", meaning: "agrees", by_feedback_token: true }),
      ],
    },
    "signal:ci",
  );
  const [ci, merge, nightly, user] = screen.getAllByRole("listitem") as [
    HTMLElement,
    HTMLElement,
    HTMLElement,
    HTMLElement,
  ];
  expect(ci.textContent).toMatch(
    /fail ?CI.*1h ago.*Became the review of this run\.2 tests failed: rounds_down/,
  );
  expect(ci.textContent).toContain("by commit 4f2a9c1");
  expect(within(ci).getByRole("link").getAttribute("href")).toBe("https://ci.example/7");
  expect(merge.textContent).toMatch(
    /pass ?Merges.*Counts in 2d, unless another signal contradicts it before\./,
  );
  expect(nightly.textContent).toMatch(
    /nightly ?score 0\.50.*No result: the score is between pass and fail\./,
  );
  expect(user.textContent).toMatch(/Users.*Agrees with the review of this run\.by feedback token/);
});

it("shows when a person overruled a signal", () => {
  show({ signals: [signal({ result: "pass" })] }, "member:ana");
  expect(screen.getByText("Overruled by a person.")).not.toBeNull();
});

it("shows how many signals are withheld, and why", () => {
  show({ withheld: 2 });
  expect(screen.getByText(/^2 signals are withheld until a person has reviewed this run/)).not.toBeNull();
});

it("links no address that is not safe, and shows invisible characters", () => {
  show({ signals: [signal({ url: "javascript:alert(1)", source: "x", comment: "pass\u202eed" })] });
  expect(screen.queryByRole("link")).toBeNull();
  expect(screen.getByRole("listitem").textContent).not.toContain("\u202e");
});

it("says that nothing was reported", () => {
  show({});
  expect(screen.getByText("None reported.")).not.toBeNull();
});
