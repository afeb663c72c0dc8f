/** The client's settings: options, else environment variables, else defaults. */

import { ConfigurationError } from "./errors.js";
import type { ClientOptions, Logger, Mask } from "./types.js";
import type { RequestSettings } from "./wire/api.js";

const DEFAULT_BASE_URL = "http://localhost:8000";
const WARN_INTERVAL = 60_000;
const MAX_KINDS = 100;

/** The resolved settings of a client. */
export interface Settings extends RequestSettings {
  readonly retrievalTimeout: number;
  readonly mask: Mask | undefined;
  readonly given: ClientOptions;
}

/** The environment variable, on platforms that have them. */
function variable(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
  } catch {
    // Deno asks for permission to read each variable, and throws without it.
    return undefined;
  }
}

/** Resolves the settings. Throws `ConfigurationError` if one is missing or invalid. */
export function resolveSettings(given: ClientOptions): Settings {
  const apiKey = (given.apiKey || variable("REFLECT_API_KEY") || "").trim();
  if (!/^[!-~]+$/.test(apiKey)) {
    throw new ConfigurationError("The API key is missing or not valid. Set REFLECT_API_KEY, or pass apiKey.");
  }
  return {
    baseUrl: checkedBaseUrl(given.baseUrl || variable("REFLECT_BASE_URL") || variable("REFLECT_API_URL")),
    apiKey,
    projectId: given.projectId || variable("REFLECT_PROJECT_ID") || "default",
    timeout: given.timeout ?? 60_000,
    maxRetries: given.maxRetries ?? 2,
    retrievalTimeout: Math.min(given.retrievalTimeout ?? 5_000, given.timeout ?? 60_000),
    mask: given.mask,
    // The global one is looked up at every call: tools replace it.
    fetch: given.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    warn: warner(given.logger ?? console),
    given,
  };
}

/** The normalized URL of a server. Throws `ConfigurationError` if it is invalid. */
function checkedBaseUrl(given: string | undefined): string {
  const url = (given ?? DEFAULT_BASE_URL).trim().replace(/\/+$/, "");
  if (/^https?:\/\/\S+$/i.test(url)) return url;
  throw new ConfigurationError(`"${given}" is not a URL such as ${DEFAULT_BASE_URL}.`);
}

/** Whether the platform freezes the process after each request, which prevents sending in the background. */
export function isServerless(): boolean {
  return ["AWS_LAMBDA_FUNCTION_NAME", "K_SERVICE", "FUNCTIONS_WORKER_RUNTIME"].some(variable);
}

/** Logs messages: those of one kind at most once a minute, and a limited number of kinds. */
function warner(logger: Logger): RequestSettings["warn"] {
  const loggedAt = new Map<string, number>();
  return (message, kind) => {
    const now = Date.now();
    if (now - (loggedAt.get(kind) ?? -Infinity) < WARN_INTERVAL) return;
    if (loggedAt.size >= MAX_KINDS) loggedAt.clear();
    loggedAt.set(kind, now);
    logger.warn(`reflect: ${message}`);
  };
}
