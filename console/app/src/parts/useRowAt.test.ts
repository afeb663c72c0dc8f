// @vitest-environment jsdom
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { useRowAt } from "./useRowAt";

const router = vi.hoisted(() => ({ latestLocation: { search: {} as { peek?: string } } }));
vi.mock("@tanstack/react-router", () => ({ useRouter: () => router }));
afterEach(cleanup);

type Props = { list: string; ids: string[]; peek?: string };
const rowAt = (initialProps: Props) =>
  renderHook((props: Props) => useRowAt(props.list, props.ids, props.peek), { initialProps });

it("stays with the row that was chosen when others come in before it", () => {
  const { result, rerender } = rowAt({ list: "", ids: ["a", "b"] });
  expect(result.current.at).toBe(-1);
  act(() => result.current.choose("b"));
  expect(result.current.at).toBe(1);
  rerender({ list: "", ids: ["new", "a", "b"] });
  expect(result.current.at).toBe(2);
  rerender({ list: "", ids: ["new", "a"] });
  expect(result.current.at).toBe(-1);
});

it("has chosen nothing of another list, and begins at what is peeked at", () => {
  const { result, rerender } = rowAt({ list: "", ids: ["a", "b"] });
  act(() => result.current.choose("a"));
  rerender({ list: "model:small", ids: ["a", "b"] });
  expect(result.current.at).toBe(-1);
  rerender({ list: "model:small", ids: ["a", "b"], peek: "b" });
  expect(result.current.at).toBe(1);
});

it("knows of a peek from the moment on at which it was asked for", () => {
  const { result } = rowAt({ list: "", ids: ["a"] });
  expect(result.current.isPeeking()).toBe(false);
  router.latestLocation = { search: { peek: "a" } };
  expect(result.current.isPeeking()).toBe(true);
});
