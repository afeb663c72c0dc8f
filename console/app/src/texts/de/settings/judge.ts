import { counted } from "../../../parts/time";
import type { Texts } from "../../en";

export const judge: Texts["settings"]["judge"] = {
  title: "Modellprüfer",
  states: {
    off: "Aus",
    no_model: "Kein Modell",
    judging: "An",
    stopped: "Angehalten: stimmt zu selten mit Menschen überein",
    spent: "Pause bis 00:00 UTC: Tokenlimit erreicht",
  },
  changeOrTest: "den Modellprüfer ändern oder testen",
  status: "Status",
  modelAndTokens: (model, tokens) =>
    `Modell: ${model ?? "keines auf diesem Server"} · ${counted(tokens, "Token", "Tokens")} heute (UTC)`,
  form: {
    title: "Einstellungen",
    about:
      "Ein Modell bewertet Läufe, die noch kein Mensch bewertet hat. Je seltener es mit Menschen übereinstimmt, desto weniger zählen seine Bewertungen. Ihre eigene Bewertung ersetzt sie immer.",
    enabled: "Läufe vom Modellprüfer bewerten lassen",
    criteria: "Kriterien",
    criteriaHint:
      "Wann ist ein Lauf bestanden? Leer lassen, um nur nach der Aufgabe zu urteilen. Mit neuen Kriterien beginnt der Vergleich mit Menschen von vorn.",
    sample: {
      name: "Anteil der Läufe",
      label: "Anteil der Läufe, in Prozent",
      hint: "Wie viele der offenen Läufe der Modellprüfer bewertet.",
    },
    blind: {
      name: "Verdeckte Urteile",
      label: "Verdeckte Urteile, in Prozent",
      hint: "Wie viele seiner Urteile verdeckt bleiben, bis ein Mensch den Lauf bewertet hat. An ihnen wird die Übereinstimmung gemessen.",
    },
    tokens: {
      name: "Tokens",
      label: "Tokens pro Tag",
      hint: "Leer lassen, um das Limit des Projekts zu verwenden.",
    },
    delay: {
      name: "Wartezeit",
      label: "Wartezeit in Sekunden",
      hint: "So lange wartet der Modellprüfer, damit zuerst ein Mensch oder ein Programm bewerten kann.",
    },
  },
};
