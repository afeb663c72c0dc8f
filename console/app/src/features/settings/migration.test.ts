// The embedding model migration.
import { expect, it } from "vitest";
import { labelOf, actionsIn } from "./migration";

it("switches only when every memory is in both spaces", () => {
  expect(actionsIn(null)).toEqual(["begin"]);
  expect(actionsIn("filling")).not.toContain("switch");
  expect(actionsIn("ready")).toContain("switch");
  expect(actionsIn("rolled_back")).toContain("switch");
});

it("finishes only after a switch, because that removes vectors", () => {
  const finishing = (
    ["filling", "ready", "switched", "rolled_back", "abandoned", "finished"] as const
  ).filter((state) => actionsIn(state).includes("finish"));
  expect(finishing).toEqual(["switched", "rolled_back"]);
});

it("calls a rollback before the first switch a cancellation", () => {
  expect(labelOf("rollback", "ready")).toBe("Cancel the change");
  expect(labelOf("rollback", "switched")).toBe("Go back");
});
