import type { Texts } from "../../en";

export const recordKey: Texts["settings"]["recordKey"] = {
  label: "Andere Taste",
  title: (action) => `Andere Taste für „${action}“`,
  press: "Drücken Sie in diesem Feld die Taste oder Tastenkombination",
  reserved: "Tab, Eingabe, Leertaste und Esc können nicht geändert werden.",
  available: "Diese Taste ist frei.",
  use: "Diese Taste verwenden",
};
