// @vitest-environment jsdom
import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { nearestActive } from "./nearest";

const server = vi.hoisted<{ answer?: (near: object[]) => void }>(() => ({}));
vi.mock("../../api/memories", () => ({
  neighboursQuery: (...key: string[]) => ({
    queryKey: key,
    queryFn: () => new Promise((answer) => (server.answer = answer)),
  }),
}));

it("waits for the server, then returns the first active memory", async () => {
  const resolved = vi.fn<(id: string | undefined) => void>();
  const asked = nearestActive(new QueryClient(), "p", "a").then(resolved);
  await vi.waitFor(() => expect(server.answer).toBeDefined());
  expect(resolved).not.toHaveBeenCalled();
  server.answer?.([
    { id: "b", status: "disabled" },
    { id: "c", status: "active" },
  ]);
  await asked;
  expect(resolved).toHaveBeenCalledExactlyOnceWith("c");
});
