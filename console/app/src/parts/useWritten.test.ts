// @vitest-environment jsdom
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { useWritten } from "./useWritten";

afterEach(cleanup);

const written = (given: string) =>
  renderHook((props: { given: string }) => useWritten(props.given), { initialProps: { given } });

it("keeps what was written on while the sent text was on its way to the address", () => {
  const { result, rerender } = written("");
  act(() => result.current.setText("column"));
  act(() => result.current.setSent("column"));
  act(() => result.current.setText("column total"));
  rerender({ given: "column" });
  expect(result.current.text).toBe("column total");
});

it("follows the address when it changes otherwise, also to what was sent before", () => {
  const { result, rerender } = written("");
  act(() => result.current.setSent("column"));
  rerender({ given: "column" });
  rerender({ given: "" });
  expect(result.current.text).toBe("");
  rerender({ given: "column" });
  expect(result.current.text).toBe("column");
});
