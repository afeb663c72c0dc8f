// Reviewers in plain words.
import { afterEach, expect, it } from "vitest";
import { loadTexts } from "../texts";
import { isPerson, reviewerName, shortName, sourceName } from "./reviewer";

afterEach(() => loadTexts("en"));

it("names the source of a signal, and leaves other reviewers as they are", () => {
  expect(reviewerName("signal:ci")).toBe("CI (signal)");
  expect(reviewerName("signal:nightly-build")).toBe("nightly-build (signal)");
  expect(reviewerName("member:ana")).toBe("member:ana");
  // The prefix of a key cannot be mistaken for a signal.
  expect(reviewerName("key:signal:ci")).toBe("key:signal:ci");
  expect(sourceName("toString")).toBe("toString");
  expect([shortName("member:ana"), shortName("signal:merge")]).toEqual(["ana", "Merges (signal)"]);
  expect(shortName("member:signal:ci")).toBe("signal:ci");
});

it("names it in the language of the reader", async () => {
  await loadTexts("de");
  expect(reviewerName("signal:user")).toBe("Nutzer (Signal)");
});

it("tells people from a judge and from signals", () => {
  expect(["member:ana", "key:9d2f41aa", "judge:model", "signal:ci"].map(isPerson)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
