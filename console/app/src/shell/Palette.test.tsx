// @vitest-environment jsdom
// The command palette finds actions, runs, lessons and projects.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { sessionQuery } from "../api/queries";
import { KeyProvider } from "../keys/KeyProvider";
import { Palette } from "./Palette";
import { asTerm } from "./palette-search";

const asked = vi.hoisted(() => [] as { path: string; q: string | undefined }[]);
vi.mock("../api/client", () => {
  const GET = (path: string, { params }: { params: { query: { q?: string } } }) => {
    asked.push({ path, q: params.query.q });
    if (params.query.q === '"zzzz"') return Promise.resolve([]);
    return Promise.resolve(
      path.endsWith("/lessons")
        ? [{ id: "lesson-1", summary: "Refund the voucher first.", task: "" }]
        : [{ id: "run-1", task: "Refund order 1182" }],
    );
  };
  return { api: { GET }, body: (answer: Promise<unknown>) => answer, consoleApi: {} };
});

// jsdom has none.
vi.stubGlobal("CSS", { escape: (text: string) => text, supports: () => false });
afterEach(cleanup);

const theme = vi.fn<() => void>();
const KEYS = [{ action: "theme", label: "Switch the theme", group: "Everywhere", keys: [] }];

async function open() {
  const client = new QueryClient();
  const projects = ["desk", "shop"].map((project_id) => ({ project_id }));
  client.setQueryData(sessionQuery.queryKey, { projects } as never);
  const root = createRootRoute();
  const page = createRoute({
    getParentRoute: () => root,
    path: "/p/$project/$",
    component: () => <Palette onClose={() => undefined} />,
  });
  const history = createMemoryHistory({ initialEntries: ["/p/desk/review"] });
  const router = createRouter({ routeTree: root.addChildren([page]), history });
  render(
    <QueryClientProvider client={client}>
      <KeyProvider specs={KEYS} handlers={{ theme }}>
        <RouterProvider router={router as never} />
      </KeyProvider>
    </QueryClientProvider>,
  );
  const field = await screen.findByRole("searchbox");
  return { history, type: (value: string) => fireEvent.change(field, { target: { value } }) };
}

it("finds a run and a lesson by their text, and opens them", async () => {
  const { history, type } = await open();
  type("refund");
  fireEvent.click(await screen.findByRole("menuitem", { name: "Refund order 1182" }));
  await waitFor(() => expect(history.location.pathname).toBe("/p/desk/traces/run-1"));
  fireEvent.click(await screen.findByRole("menuitem", { name: "Refund the voucher first." }));
  await waitFor(() => expect(history.location.pathname).toBe("/p/desk/lessons/lesson-1"));
  expect(asked.map((one) => one.q)).toContain('"refund"');
  expect(screen.queryByRole("menuitem", { name: /theme/ })).toBeNull();
});

it("finds another project by its name", async () => {
  const { history, type } = await open();
  type("sho");
  fireEvent.click(await screen.findByRole("menuitem", { name: "shop" }));
  await waitFor(() => expect(history.location.pathname).toBe("/p/shop"));
  expect(screen.queryByRole("menuitem", { name: "desk" })).toBeNull();
});

it("runs an action, and asks the server nothing for one letter", async () => {
  asked.length = 0;
  const { type } = await open();
  type("t");
  fireEvent.click(await screen.findByRole("menuitem", { name: /Switch the theme/ }));
  await waitFor(() => expect(theme).toHaveBeenCalledTimes(1));
  expect(asked).toEqual([]);
});

it("says that nothing matches", async () => {
  const { type } = await open();
  type("zzzz");
  expect(await screen.findByText("No match.")).not.toBeNull();
  expect(screen.queryByText("Actions")).toBeNull();
});

it("sends the text as one term of the filter language", () => {
  expect(asTerm('status:x "quoted"')).toBe('"status:x quoted"');
});
