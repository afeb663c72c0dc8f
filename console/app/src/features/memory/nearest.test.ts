// @vitest-environment jsdom
import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { nearest } from "./nearest";

const server = vi.hoisted<{ answer?: (near: object[]) => void }>(() => ({}));
vi.mock("../../api/memories", () => ({
  neighboursQuery: (...key: string[]) => ({
    queryKey: key,
    queryFn: () => new Promise((answer) => (server.answer = answer)),
  }),
}));

it("says nothing before it is known, then the first that is served", async () => {
  const said = vi.fn<(id: string | undefined) => void>();
  const asked = nearest(new QueryClient(), "p", "a").then(said);
  await vi.waitFor(() => expect(server.answer).toBeDefined());
  expect(said).not.toHaveBeenCalled();
  server.answer?.([
    { id: "b", status: "disabled" },
    { id: "c", status: "active" },
  ]);
  await asked;
  expect(said).toHaveBeenCalledExactlyOnceWith("c");
});
