// @vitest-environment jsdom
// The choice of the language.
import { afterEach, expect, it, vi } from "vitest";
import { globalKeys } from "../shell/actions";
import { chooseLanguage, language, loadTexts, t } from "./index";

afterEach(async () => {
  vi.unstubAllGlobals();
  localStorage.clear();
  await loadTexts("en");
});

it("loads the chosen language, else the first known one of the browser", async () => {
  vi.stubGlobal("navigator", { languages: ["fr-FR", "de-AT", "en"] });
  await loadTexts();
  expect([language, document.documentElement.lang, t.shell.pages.overview]).toEqual([
    "de",
    "de",
    "Übersicht",
  ]);
  localStorage.setItem("reflect.language", "en");
  await loadTexts();
  expect([language, t.shell.pages.overview]).toEqual(["en", "Overview"]);
  localStorage.setItem("reflect.language", "xx");
  await loadTexts();
  expect(language).toBe("de");
});

it("stores the choice and loads the page again", () => {
  const reload = vi.fn<() => void>();
  vi.stubGlobal("location", { reload });
  expect(chooseLanguage("de")).toBe(true);
  expect(localStorage.getItem("reflect.language")).toBe("de");
  expect(reload).toHaveBeenCalledTimes(1);
});

it("reports that the browser blocks storage", () => {
  const reload = vi.fn<() => void>();
  vi.stubGlobal("location", { reload });
  vi.stubGlobal("localStorage", {
    clear: () => undefined,
    setItem: () => {
      throw new DOMException("blocked", "SecurityError");
    },
  });
  expect(chooseLanguage("de")).toBe(false);
  expect(reload).not.toHaveBeenCalled();
});

it("offers the other languages by their own names", async () => {
  const labels = () =>
    globalKeys().flatMap(({ group, label }) => (group === t.shell.actions.language ? [label] : []));
  expect(labels()).toEqual(["Deutsch"]);
  await loadTexts("de");
  expect(labels()).toEqual(["English"]);
});
