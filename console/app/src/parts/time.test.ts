// Numbers and times as they are shown.
import { afterEach, expect, it } from "vitest";
import { loadTexts } from "../texts";
import { ago, atLeast, counted, dayLabel, duration, fixed, number, percent, signed } from "./time";

afterEach(() => loadTexts("en"));

it("writes negative numbers with one kind of minus sign", () => {
  expect([0.5, -0.25, 0, -0.001].map((value) => fixed(value))).toEqual([
    "0.50",
    "\u22120.25",
    "0.00",
    "0.00",
  ]);
  expect([0.15, -0.15, -0.0001].map((value) => signed(value, 1))).toEqual(["+0.2", "\u22120.2", "+0.0"]);
  expect([0.68, 0.051, -0.2].map(percent)).toEqual(["68 %", "5.1 %", "\u221220 %"]);
});

const NOW = Date.parse("2026-11-15T12:00:00Z");
const samples = () => [
  number(1234),
  atLeast(1000, true),
  counted(2000, "a", "b"),
  fixed(-1234.5),
  percent(0.051),
  dayLabel("2026-11-15"),
  ago("2026-11-15T11:55:00Z", NOW),
  ago("2026-11-14T11:00:00Z", NOW),
  ago("2026-11-15T11:59:50Z", NOW),
  ...[0.4, 14, 300, 7_500, 100_000].map(duration),
];

it("follows the language", async () => {
  expect(samples()).toEqual([
    "1,234",
    "1,000+",
    "2,000 b",
    "\u22121,234.50",
    "5.1 %",
    "Nov 15",
    "5m ago",
    "yesterday",
    "just now",
    "0.4 s",
    "14 s",
    "5 min",
    "2 h 5 min",
    "1 d 3 h",
  ]);
  await loadTexts("de");
  expect(samples()).toEqual([
    "1.234",
    "1.000+",
    "2.000 b",
    "\u22121.234,50",
    "5,1 %",
    "15. Nov.",
    "vor 5 Min.",
    "gestern",
    "gerade eben",
    "0,4 Sek.",
    "14 Sek.",
    "5 Min.",
    "2 Std. 5 Min.",
    "1 Tag 3 Std.",
  ]);
});
