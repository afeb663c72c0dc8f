// The retrieval settings: what is in the URL, and what is sent to the server.
import type { components } from "../../api/schema";

export type Settings = {
  task?: string;
  /** The weight of utility against similarity. */
  weight?: number;
  limit?: number;
  /** The minimum similarity. */
  least?: number;
  /** 1: score only; lower values prefer memories that differ from those already selected. */
  variety?: number;
  /** The maximum number of tokens for memories. */
  room?: number;
};

/**
 * The server's defaults. The minimum similarity defaults to the value of the embedding model, the weight to the one
 * that the project chose.
 */
export const DEFAULTS = { limit: 10, variety: 1, room: 1500 } as const;

const within = (value: unknown, low: number, high: number): number | undefined =>
  typeof value === "number" && value >= low && value <= high ? value : undefined;

/** Reads the settings from the URL and drops values that the server would reject. */
export function settingsOf(search: Record<string, unknown>): Settings {
  const limit = within(search.limit, 1, 100);
  const room = within(search.room, 0, 100_000);
  return {
    task: typeof search.task === "string" && search.task.trim() !== "" ? search.task : undefined,
    weight: within(search.weight, 0, 1),
    limit: limit === undefined ? undefined : Math.round(limit),
    least: within(search.least, -1, 1),
    variety: within(search.variety, 0, 1),
    room: room === undefined ? undefined : Math.round(room),
  };
}

/** The settings without default values, to keep URLs short. */
export function withoutDefaults(settings: Settings): Settings {
  const short = { ...settings };
  for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
    if (short[name] === DEFAULTS[name]) short[name] = undefined;
  }
  return short;
}

/** The request body. */
export function requestOf(settings: Settings): components["schemas"]["AugmentTask"] {
  return {
    task: settings.task ?? "",
    limit: settings.limit ?? DEFAULTS.limit,
    mmr_lambda: settings.variety ?? DEFAULTS.variety,
    max_tokens: settings.room ?? DEFAULTS.room,
    ...(settings.weight === undefined ? {} : { utility_weight: settings.weight }),
    ...(settings.least === undefined ? {} : { similarity_threshold: settings.least }),
  };
}

/** The threshold that includes this similarity, rounded down to hundredths. */
export const justBelow = (similarity: number) => Math.floor(similarity * 100) / 100;
