import { number } from "../../../parts/time";

export const keyboard = {
  title: "Keyboard",
  about: "Saved in this browser, only for you",
  single: "Single keys",
  enableSingle: "Enable single-letter and digit keys",
  enableSingleHint: (palette: string) =>
    `Turn this off if you use speech input or press keys by mistake. ${palette} still lists all actions.`,
  custom: "Custom keys",
  customAbout: "Your key replaces the default keys of an action on every page.",
  reset: (changed: number) =>
    changed === 0 ? "Reset to the default keys" : `Reset to the default keys (${number(changed)} changed)`,
  everywhere: "Everywhere",
  noKey: "no key",
  change: "Change",
  changeKeyOf: (action: string) => `Change the key of: ${action}`,
  default: "Default",
  defaultKeyOf: (action: string) => `Default key of: ${action}`,
  conflict: (page: string, problem: string) => `${page}: ${problem}.`,
  quoted: (label: string) => `“${label}”`,
};
