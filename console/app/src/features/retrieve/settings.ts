// How a question is asked: what stands in the address, and what the server is sent of it.
import type { components } from "../../api/schema";

export type Settings = {
  task?: string;
  /** How much utility counts against similarity. */
  weight?: number;
  limit?: number;
  /** The least similarity. */
  least?: number;
  /** 1 for score alone; below, memories that differ from those already chosen come first. */
  variety?: number;
  /** How many tokens the memories may take. */
  room?: number;
};

/** What the server takes when nothing is said. The least similarity is the embedding model's own. */
export const USUAL = { weight: 0.5, limit: 10, variety: 1, room: 1500 } as const;

const within = (value: unknown, low: number, high: number): number | undefined =>
  typeof value === "number" && value >= low && value <= high ? value : undefined;

/** What an address says, without what the server would refuse. */
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

/** Settings without those that are the usual ones, so that addresses stay short. */
export function shortest(settings: Settings): Settings {
  const short = { ...settings };
  for (const name of Object.keys(USUAL) as (keyof typeof USUAL)[]) {
    if (short[name] === USUAL[name]) short[name] = undefined;
  }
  return short;
}

/** The question as the server takes it. */
export function questionOf(settings: Settings): components["schemas"]["AugmentTask"] {
  return {
    task: settings.task ?? "",
    utility_weight: settings.weight ?? USUAL.weight,
    limit: settings.limit ?? USUAL.limit,
    mmr_lambda: settings.variety ?? USUAL.variety,
    max_tokens: settings.room ?? USUAL.room,
    ...(settings.least === undefined ? {} : { similarity_threshold: settings.least }),
  };
}

/** The threshold that lets a similarity in, in whole hundredths. */
export const justBelow = (similarity: number) => Math.floor(similarity * 100) / 100;
