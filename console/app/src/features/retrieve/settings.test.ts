// The retrieval settings.
import { expect, it } from "vitest";
import { justBelow, requestOf, settingsOf, withoutDefaults } from "./settings";

it("reads only valid values from the URL", () => {
  expect(settingsOf({ task: "x", weight: 0.2, limit: 3.4, least: -0.5, variety: 0.7, room: 200 })).toEqual({
    task: "x",
    weight: 0.2,
    limit: 3,
    least: -0.5,
    variety: 0.7,
    room: 200,
  });
  const nothing = settingsOf({ task: " ", weight: 2, limit: 0, least: -2, variety: "1", room: -1 });
  expect(Object.values(nothing).every((value) => value === undefined)).toBe(true);
});

it("keeps URLs short", () => {
  expect(withoutDefaults({ task: "x", limit: 10, variety: 1, room: 1500 })).toEqual({ task: "x" });
  expect(withoutDefaults({ weight: 0, limit: 5 })).toEqual({ weight: 0, limit: 5 });
});

it("omits the weight and the threshold unless they are set", () => {
  expect(requestOf({ task: "x" })).toEqual({
    task: "x",
    limit: 10,
    mmr_lambda: 1,
    max_tokens: 1500,
  });
  expect(requestOf({ task: "x", least: 0 }).similarity_threshold).toBe(0);
  expect(requestOf({ task: "x", weight: 0.5 }).utility_weight).toBe(0.5);
});

it("lowers a threshold far enough", () => {
  expect(justBelow(0.4199)).toBe(0.41);
  expect(justBelow(-0.051)).toBe(-0.06);
});
