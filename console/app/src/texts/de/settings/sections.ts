import type { Texts } from "../../en";

export const sections: Texts["settings"]["sections"] = {
  settings: "Einstellungen",
  section: "Bereich",
  content: "Einstellungen dieses Bereichs",
  next: "Nächster Bereich",
  previous: "Vorheriger Bereich",
  open: (section) => `${section} öffnen`,
  names: {
    project: "Projekt",
    keys: "API-Schlüssel",
    webhooks: "Webhooks",
    members: "Mitglieder",
    lessons: "Lektionen",
    judge: "Modellprüfer",
    signals: "Signale",
    embedding: "Embedding-Modell",
    data: "Daten und Aufbewahrung",
    actions: "Aktionen",
    audit: "Audit-Protokoll",
    keyboard: "Tastatur",
    system: "System",
  },
};
