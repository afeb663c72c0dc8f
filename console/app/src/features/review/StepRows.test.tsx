// @vitest-environment jsdom
// The rows of a run: visible at once, with whole texts on demand.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { Step } from "../../api/types";
import { queued } from "./samples";
import { StepRows } from "./StepRows";

const LONG = `The order cost 24.00. ${"It was paid by card. ".repeat(160)}`;
const step = (n: number, more: Partial<Step>): Step => ({
  n,
  message: n,
  kind: "tool_call",
  title: "",
  parts: [],
  call_id: "x",
  tool: "lookup_order",
  failed: false,
  ...more,
});
const part = (n: number, text: string, label: string | null) => ({
  n,
  form: "text" as const,
  label,
  size: text.length,
  text,
});
const steps = [
  step(0, { parts: [part(0, '{"id": 1}', "arguments")] }),
  step(1, { kind: "tool_result", parts: [part(1, LONG, null)] }),
];

let respond: () => void = () => undefined;
vi.mock("../../api/client", () => ({
  api: { GET: () => new Promise((give) => (respond = () => give({ total: 2, steps }))) },
  body: (answer: unknown) => answer,
}));

const trace = queued("a");
trace.digest.steps = {
  total: 2,
  by_kind: {},
  listed: [
    { step: 1, message: 1, kind: "tool_call", title: 'lookup_order {"id": 1}', failed: false },
    { step: 2, message: 2, kind: "tool_result", title: "lookup_order: The order cost 24.00.", failed: true },
  ],
};

Element.prototype.scrollIntoView = () => undefined;
afterEach(cleanup);

it("shows the call and its result before the steps are loaded, then the size of the result", async () => {
  const onStep = vi.fn<(step: number) => void>();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <StepRows project="p" trace={trace} step={2} onStep={onStep} />
    </QueryClientProvider>,
  );
  const row = screen.getByRole("listitem");
  expect(row.textContent).toMatch(/lookup_order.*\{"id": 1\}.*→ .*The order cost 24\.00\..*failed/);
  const button = within(row).getByRole("button");
  expect(button.getAttribute("aria-current")).toBe("step");
  fireEvent.click(button);
  expect(onStep).toHaveBeenCalledExactlyOnceWith(1);

  respond();
  const show = await screen.findByRole("button", { name: "3.3 kB, show the text of step 1" });
  expect(screen.getAllByRole("listitem")).toHaveLength(1);
  expect(screen.queryByText("result")).toBeNull();
  fireEvent.click(show);
  expect(await screen.findByText("result")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Hide the text of step 1" }));
  expect(screen.queryByText("result")).toBeNull();
});
