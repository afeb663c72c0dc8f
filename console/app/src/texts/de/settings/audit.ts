import type { Texts } from "../../en";

export const audit: Texts["settings"]["audit"] = {
  title: "Audit-Protokoll",
  about: "Wer was getan hat und was abgelehnt wurde",
  read: "das Audit-Protokoll lesen",
  installation: "Protokoll der Installation anzeigen",
  installationHint:
    "Anmeldungen, Mitglieder, Projekte, API-Schlüssel für alle Projekte und abgelehnte Anfragen unbekannter Aufrufer.",
  none: "Noch keine Einträge.",
  newestFirst: "Einträge, neueste zuerst",
  columns: { time: "Zeit", action: "Aktion", target: "Ziel", actor: "Von", address: "IP-Adresse" },
  details: "Details",
  showOlder: "Ältere Einträge anzeigen",
};
