import type { Texts } from "../../en";

export const data: Texts["settings"]["data"] = {
  title: "Daten und Aufbewahrung",
  about: "Wie lange Daten aufbewahrt werden und wie Sie sie löschen",
  change: "die Aufbewahrung ändern oder Daten löschen",
};
