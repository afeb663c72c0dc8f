// @vitest-environment jsdom
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { useUrlText } from "./useUrlText";

afterEach(cleanup);

const written = (given: string) =>
  renderHook((props: { given: string }) => useUrlText(props.given), { initialProps: { given } });

it("keeps text typed while the sent text is on its way to the URL", () => {
  const { result, rerender } = written("");
  act(() => result.current.setText("column"));
  act(() => result.current.setSent("column"));
  act(() => result.current.setText("column total"));
  rerender({ given: "column" });
  expect(result.current.text).toBe("column total");
});

it("follows other changes of the URL, also to a text sent before", () => {
  const { result, rerender } = written("");
  act(() => result.current.setSent("column"));
  rerender({ given: "column" });
  rerender({ given: "" });
  expect(result.current.text).toBe("");
  rerender({ given: "column" });
  expect(result.current.text).toBe("column");
});
