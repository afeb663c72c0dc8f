// The change of an embedding model.
import { expect, it } from "vitest";
import { labelOf, movesIn } from "./change";

it("switches only when every memory is in both spaces", () => {
  expect(movesIn(null)).toEqual(["begin"]);
  expect(movesIn("filling")).not.toContain("switch");
  expect(movesIn("ready")).toContain("switch");
  expect(movesIn("rolled_back")).toContain("switch");
});

it("finishes only after a switch, because that removes vectors", () => {
  const finishing = (
    ["filling", "ready", "switched", "rolled_back", "abandoned", "finished"] as const
  ).filter((state) => movesIn(state).includes("finish"));
  expect(finishing).toEqual(["switched", "rolled_back"]);
});

it("says that going back before the first switch gives the change up", () => {
  expect(labelOf("rollback", "ready")).toBe("Give the change up");
  expect(labelOf("rollback", "switched")).toBe("Roll back");
});
