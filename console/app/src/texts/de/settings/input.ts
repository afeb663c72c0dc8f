import { number } from "../../../parts/time";
import type { Texts } from "../../en";

export const input: Texts["settings"]["input"] = {
  wholeNumber: (name, least, most) =>
    `${name}: Geben Sie eine ganze Zahl von ${number(least)} bis ${number(most)} ein, oder lassen Sie das Feld leer.`,
  percentage: (name, most) => `${name}: Geben Sie eine Zahl von 0 bis ${number(most)} ein.`,
  decimal: (name, least, most) =>
    `${name}: Geben Sie eine Zahl von ${number(least)} bis ${number(most)} ein.`,
  saved: "Gespeichert.",
};
