// When keys expire.
import { expect, it } from "vitest";
import { expiresSoon, rangesIn } from "./key-expiry";

const NOW = Date.parse("2026-11-16T00:00:00Z");

it("warns in the last two weeks and not before or after", () => {
  expect(expiresSoon("2026-11-20T00:00:00Z", NOW)).toBe(true);
  expect(expiresSoon("2026-12-20T00:00:00Z", NOW)).toBe(false);
  expect(expiresSoon("2026-11-15T00:00:00Z", NOW)).toBe(false);
  expect(expiresSoon(null, NOW)).toBe(false);
});

it("reads ranges however they are separated", () => {
  expect(rangesIn(" 10.0.0.0/8, 192.0.2.7\n2001:db8::/32 ")).toEqual([
    "10.0.0.0/8",
    "192.0.2.7",
    "2001:db8::/32",
  ]);
  expect(rangesIn("")).toEqual([]);
});
