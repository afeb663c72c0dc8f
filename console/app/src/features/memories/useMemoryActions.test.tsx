// @vitest-environment jsdom
// Undo (key `u`) reverts the newest change, even if the server has not yet confirmed that change. A change of a lesson
// is shown for all its situations.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import type { StoredMemory } from "../../api/memories";
import { useMemoryActions } from "./useMemoryActions";

/**
 * `respond` completes the request that is waiting; `undone` lists the actions that were undone; `memory` has the fields
 * of a memory that is read.
 */
type Server = { respond?: (done: object) => void; undone: string[]; memory?: object };
const server = vi.hoisted<Server>(() => ({ undone: [] }));
vi.mock("../../api/memories", () => ({
  applyMemoryAction: () => new Promise((resolve) => (server.respond = resolve)),
  undoAction: async (_: string, action: string) => void server.undone.push(action),
  memoryQuery: (...key: string[]) => ({
    queryKey: key,
    queryFn: async () => ({ ...server.memory, id: key[1] }),
  }),
}));
afterEach(cleanup);

const renderMemoryActions = (client = new QueryClient()) => {
  const wrapper = (props: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{props.children}</QueryClientProvider>
  );
  return renderHook(() => useMemoryActions("p"), { wrapper }).result.current;
};

it("undoes a pending change, not the one before it", async () => {
  const { verb, undo } = renderMemoryActions();
  await act(async () => {
    void verb("a", "pin");
    server.respond?.({ action_id: "pinned" });
  });
  await act(async () => {
    void verb("a", "disable");
    undo();
  });
  expect(server.undone).toEqual([]);
  await act(async () => server.respond?.({ action_id: "disabled" }));
  expect(server.undone).toEqual(["disabled"]);
});

it("shows an edit and its undo for all situations of the lesson, each with its own numbers", async () => {
  const client = new QueryClient();
  const { reportDone, undo } = renderMemoryActions(client);
  const row = (id: string, lesson_id: string, summary: string, version: number, evidence: number) =>
    ({ id, lesson_id, summary, version, evidence }) as StoredMemory;
  const list = ["p", "memory-rows", "", "newest"];
  const page = {
    rows: [row("a", "l", "Old.", 1, 4), row("b", "l", "Old.", 1, 6), row("c", "c", "Old.", 1, 8)],
  };
  client.setQueryData(list, { pages: [page], pageParams: [undefined] });
  const rows = () =>
    client
      .getQueryData<{ pages: (typeof page)[] }>(list)
      ?.pages[0]?.rows.map((one) => [one.id, one.summary, one.version, one.evidence]);

  reportDone("Saved.", { action_id: "edited", memory: row("a", "l", "New.", 2, 2) }, ["a"]);
  expect(rows()).toEqual([
    ["a", "New.", 2, 2],
    ["b", "New.", 2, 6],
    ["c", "Old.", 1, 8],
  ]);

  server.memory = row("a", "l", "Old.", 1, 4);
  undo();
  await vi.waitFor(() =>
    expect(rows()).toEqual([
      ["a", "Old.", 1, 4],
      ["b", "Old.", 1, 6],
      ["c", "Old.", 1, 8],
    ]),
  );
});
