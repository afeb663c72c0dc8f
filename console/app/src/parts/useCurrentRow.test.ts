// @vitest-environment jsdom
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { useCurrentRow } from "./useCurrentRow";

const router = vi.hoisted(() => ({ latestLocation: { search: {} as { peek?: string } } }));
vi.mock("@tanstack/react-router", () => ({ useRouter: () => router }));
afterEach(cleanup);

type Props = { list: string; ids: string[]; peek?: string };
const rowAt = (initialProps: Props) =>
  renderHook((props: Props) => useCurrentRow(props.list, props.ids, props.peek), { initialProps });

it("stays on the selected row when rows are inserted before it", () => {
  const { result, rerender } = rowAt({ list: "", ids: ["a", "b"] });
  expect(result.current.at).toBe(-1);
  act(() => result.current.choose("b"));
  expect(result.current.at).toBe(1);
  rerender({ list: "", ids: ["new", "a", "b"] });
  expect(result.current.at).toBe(2);
  rerender({ list: "", ids: ["new", "a"] });
  expect(result.current.at).toBe(-1);
});

it("selects nothing in another list, and starts at the preview", () => {
  const { result, rerender } = rowAt({ list: "", ids: ["a", "b"] });
  act(() => result.current.choose("a"));
  rerender({ list: "model:small", ids: ["a", "b"] });
  expect(result.current.at).toBe(-1);
  rerender({ list: "model:small", ids: ["a", "b"], peek: "b" });
  expect(result.current.at).toBe(1);
});

it("knows of a preview as soon as it was requested", () => {
  const { result } = rowAt({ list: "", ids: ["a"] });
  expect(result.current.isPreviewOpen()).toBe(false);
  router.latestLocation = { search: { peek: "a" } };
  expect(result.current.isPreviewOpen()).toBe(true);
});
