import type { Texts } from "../../en";

const STATES: Readonly<Record<string, string>> = {
  ready: "Bereit",
  draining: "Wird beendet",
  unavailable: "Nicht verfügbar",
};

export const system: Texts["settings"]["system"] = {
  title: "System",
  server: "Server",
  version: "Version",
  state: "Zustand",
  stateOf: (status, reason) => `${STATES[status] ?? status}${reason === null ? "" : `: ${reason}`}`,
  live: "Live-Aktualisierung",
  connected: "Verbunden",
  notConnected: "Nicht verbunden; Seiten werden alle 10 Sekunden aktualisiert",
  embedding: "Embedding-Modell",
  adminsOnly: "Nur für Admins sichtbar",
  noEmbedding: "Keines; Lektionen werden anhand ihrer Wörter gefunden",
  languageModel: "Sprachmodell",
  noLanguageModel: "Keines; Lektionen entstehen aus Aufgabe, Ergebnis und Rückmeldung",
  pages: "Seiten des Servers",
  docs: "API-Referenz",
  openapi: "OpenAPI-Dokument",
  metrics: "Prometheus-Metriken",
};
