// @vitest-environment jsdom
// Undo (key `u`) reverts the newest change, even if the server has not yet confirmed that change.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { useMemoryActions } from "./useMemoryActions";

/** `respond` completes the request that is waiting; `undone` lists the actions that were undone. */
type Server = { respond?: (done: object) => void; undone: string[] };
const server = vi.hoisted<Server>(() => ({ undone: [] }));
vi.mock("../../api/memories", () => ({
  applyMemoryAction: () => new Promise((resolve) => (server.respond = resolve)),
  undoAction: async (_: string, action: string) => void server.undone.push(action),
  memoryQuery: (...key: string[]) => ({ queryKey: key, queryFn: async () => ({ id: key[1] }) }),
}));
afterEach(cleanup);

const renderMemoryActions = () => {
  const client = new QueryClient();
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
