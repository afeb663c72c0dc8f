// How a question is asked.
import { expect, it } from "vitest";
import { justBelow, questionOf, settingsOf, shortest } from "./settings";

it("takes from an address what the server would take", () => {
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

it("keeps addresses short", () => {
  expect(shortest({ task: "x", weight: 0.5, limit: 10, variety: 1, room: 1500 })).toEqual({ task: "x" });
  expect(shortest({ weight: 0, limit: 5 })).toEqual({ weight: 0, limit: 5 });
});

it("leaves the threshold to the server unless one is set", () => {
  expect(questionOf({ task: "x" })).toEqual({
    task: "x",
    utility_weight: 0.5,
    limit: 10,
    mmr_lambda: 1,
    max_tokens: 1500,
  });
  expect(questionOf({ task: "x", least: 0 }).similarity_threshold).toBe(0);
});

it("lowers a threshold far enough", () => {
  expect(justBelow(0.4199)).toBe(0.41);
  expect(justBelow(-0.051)).toBe(-0.06);
});
