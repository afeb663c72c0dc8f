// @vitest-environment jsdom
// What `u` takes back is what was done last, however fast it is pressed.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { useCare } from "./useCare";

type Server = { answer?: (done: object) => void; undone: string[] };
const server = vi.hoisted<Server>(() => ({ undone: [] }));
vi.mock("../../api/memories", () => ({
  careFor: () => new Promise((answer) => (server.answer = answer)),
  undoAction: async (_: string, action: string) => void server.undone.push(action),
  memoryQuery: (...key: string[]) => ({ queryKey: key, queryFn: async () => ({ id: key[1] }) }),
}));
afterEach(cleanup);

const care = () => {
  const client = new QueryClient();
  const wrapper = (props: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{props.children}</QueryClientProvider>
  );
  return renderHook(() => useCare("p"), { wrapper }).result.current;
};

it("undoes what is still under way, and not what was done before it", async () => {
  const { verb, undo } = care();
  await act(async () => {
    void verb("a", "pin");
    server.answer?.({ action_id: "pinned" });
  });
  await act(async () => {
    void verb("a", "disable");
    undo();
  });
  expect(server.undone).toEqual([]);
  await act(async () => server.answer?.({ action_id: "disabled" }));
  expect(server.undone).toEqual(["disabled"]);
});
