const STATES: Readonly<Record<string, string>> = {
  ready: "Ready",
  draining: "Stopping",
  unavailable: "Not available",
};

export const system = {
  title: "System",
  server: "Server",
  version: "Version",
  state: "State",
  stateOf: (status: string, reason: string | null) =>
    `${STATES[status] ?? status}${reason === null ? "" : `: ${reason}`}`,
  live: "Live updates",
  connected: "Connected",
  notConnected: "Not connected; pages refresh every 10 seconds",
  embedding: "Embedding model",
  adminsOnly: "Visible to admins only",
  noEmbedding: "None; lessons are found by their words",
  languageModel: "Language model",
  noLanguageModel: "None; lessons are written from the task, the result and the feedback",
  pages: "Server pages",
  docs: "API reference",
  openapi: "OpenAPI document",
  metrics: "Prometheus metrics",
};
