// Labels and actions of memories.
import { expect, it } from "vitest";
import { oneLine, pinVerb, presenceVerb, quarantineVerb, situationsLine } from "./labels";

it("shows a lesson in one line", () => {
  expect(oneLine({ summary: "Dates are UTC.", reflection: "x", status: "active" })).toBe("Dates are UTC.");
  expect(oneLine({ summary: " ", reflection: "First.\nSecond.", status: "active" })).toBe("First.");
  expect(oneLine({ summary: "", reflection: "", status: "erased" })).toBe("(erased)");
  expect(oneLine({ summary: "", reflection: "", status: "active" })).toBe("(no text)");
});

it("offers only actions that change something", () => {
  expect(presenceVerb({ status: "active" })).toBe("disable");
  expect(presenceVerb({ status: "deleted" })).toBe("enable");
  expect(presenceVerb({ status: "merged" })).toBeNull();
  expect(pinVerb({ status: "disabled", pinned: true })).toBe("unpin");
  expect(pinVerb({ status: "disabled", pinned: false })).toBeNull();
  expect(quarantineVerb({ status: "disabled", quarantined: true })).toBe("release");
  expect(quarantineVerb({ status: "erased", quarantined: false })).toBeNull();
});

it("names a situation of a lesson and counts the others", () => {
  expect(situationsLine({ task: "Book a room", situations: 1 })).toBe("Book a room");
  expect(situationsLine({ task: "Book a room", situations: 2 })).toBe("Book a room · 1 other situation");
  expect(situationsLine({ task: " ", situations: 0 })).toBe("(no task)");
});
