// The texts of the console, in the language of the reader. Each language is one catalogue in its own chunk.
import type { Texts } from "./en";

export type { Texts };
export type Language = "en" | "de";
export const LANGUAGES: Readonly<Record<Language, string>> = { en: "English", de: "Deutsch" };

const STORAGE_KEY = "reflect.language";

/** The texts. They are loaded before the first page is shown, so read them in functions, not in constants of a module. */
export let t: Texts;
/** The language of `t`, for numbers and dates. */
export let language: Language = "en";

/** Loads the texts in the chosen language, else in the first one of the browser that exists. */
export async function loadTexts(wanted = chosen() ?? preferred()): Promise<void> {
  t = wanted === "de" ? (await import("./de")).de : (await import("./en")).en;
  language = wanted;
  if (typeof document !== "undefined") document.documentElement.lang = wanted;
}

/** Stores the language and loads the page again; false if the browser blocks storage. */
export function chooseLanguage(wanted: Language): boolean {
  try {
    localStorage.setItem(STORAGE_KEY, wanted);
  } catch {
    return false;
  }
  location.reload();
  return true;
}

function chosen(): Language | null {
  try {
    return known(localStorage.getItem(STORAGE_KEY));
  } catch {
    return null;
  }
}

function preferred(): Language {
  const codes = navigator.languages.map((name) => known(name.slice(0, 2)));
  return codes.find((code) => code !== null) ?? "en";
}

function known(code: string | null): Language | null {
  return code !== null && code in LANGUAGES ? (code as Language) : null;
}
