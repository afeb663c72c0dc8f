import type { Texts } from "../../en";

export const scopes: Texts["settings"]["scopes"] = {
  "memory:read": "Lektionen, Einstellungen und Statistiken lesen",
  "trace:read": "Läufe lesen",
  "trace:write": "Läufe und ihre Ergebnisse speichern",
  "review:write": "Gespeicherte Läufe bewerten",
  "signal:write": "Ergebnisse von Läufen melden",
  "memory:write": "Lektionen bearbeiten, deaktivieren, anheften und zusammenführen",
  "skill:write": "Skills schreiben",
  "webhook:manage": "Webhooks erstellen, ändern und testen",
  "key:manage": "API-Schlüssel erstellen und widerrufen",
  "project:admin": "Einstellungen ändern und Daten löschen",
};
