import type { Texts } from "../../en";

export const retention: Texts["settings"]["retention"] = {
  title: "Aufbewahrung",
  about:
    "Ältere Daten werden stündlich und endgültig entfernt. Für ein leeres Feld gilt die Vorgabe des Servers, die auch das Maximum ist.",
  default: "Vorgabe",
  fields: {
    traces_days: {
      name: "Läufe",
      label: "Läufe, in Tagen",
      hint: "Mit allen ihren Texten. Bewertete Läufe behalten ihre Zahlen. Lektionen bleiben.",
    },
    bodies_days: {
      name: "Nachrichten der Läufe",
      label: "Nachrichten der Läufe, in Tagen",
      hint: "Aufgabe, Antwort und Ergebnis bleiben.",
    },
    retrievals_days: {
      name: "Aufzeichnungen von Abrufen",
      label: "Aufzeichnungen von Abrufen, in Tagen",
      hint: "Welche Lektionen für welche Aufgabe in Betracht kamen.",
    },
  },
};
