// @vitest-environment jsdom
// Who can still give a verdict on the page of a run.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Review } from "../../api/types";
import { ReviewForm } from "./ReviewForm";

afterEach(cleanup);

/** The buttons below a review by this reviewer. */
function buttons(reviewer: string | null): (string | null)[] {
  const review = reviewer === null ? null : ({ id: "r", result: "fail", reviewer } as Review);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ReviewForm project="desk" trace="run" review={review} failed={false} />
    </QueryClientProvider>,
  );
  return screen.getAllByRole("button").map((button) => button.textContent);
}

it("asks for a verdict without a review", () => {
  expect(buttons(null)).toEqual(["Pass", "Fail"]);
});

it.each(["signal:ci", "judge:model"])("lets a person replace the review of %s", (reviewer) => {
  expect(buttons(reviewer)).toEqual(["Pass", "Fail", "Withdraw this review"]);
});

it.each(["member:ana", "key:9d2f41aa"])("only lets the review of %s be withdrawn", (reviewer) => {
  expect(buttons(reviewer)).toEqual(["Withdraw this review"]);
});
