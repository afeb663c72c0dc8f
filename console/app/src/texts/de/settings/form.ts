import type { Texts } from "../../en";

export const form: Texts["settings"]["form"] = {
  cancel: "Abbrechen",
  save: "Speichern",
  unsaved: "Nicht gespeicherte Änderungen.",
};
