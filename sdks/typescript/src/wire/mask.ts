/** Applies the user's mask to texts before they leave the process. */

import { MaskError } from "../errors.js";
import type { Mask } from "../types.js";
import { isObject } from "./body-kind.js";
import { toJson } from "./encode.js";

type Fields = Record<string, unknown>;

// Fields with values of the protocol. All other fields contain text of the user.
const PROTOCOL = /_ids?$|^(keys|model|result|reviewer|filter|q)$/;
const PROTOCOL_OF_MESSAGE = /^(role|type)$/;

/** The JSON of a trace, a review or a memory, with the mask applied to every text in it. */
export function maskedJson(mask: Mask | undefined, body: object): string {
  if (mask === undefined) return toJson(body);
  return guardedMask(() => {
    const { review, trajectory, ...rest } = JSON.parse(toJson(body)) as Fields;
    const safe = entries(mask, rest, PROTOCOL);
    if (review !== undefined) safe["review"] = entries(mask, review, PROTOCOL);
    if (trajectory !== undefined) {
      safe["trajectory"] = Array.isArray(trajectory)
        ? trajectory.map((message) => entries(mask, message, PROTOCOL_OF_MESSAGE))
        : masked(mask, trajectory);
    }
    return JSON.stringify(safe);
  });
}

/** A value with the mask applied to every string in it; field names do not change. */
export function maskedText<T>(mask: Mask | undefined, value: T): T {
  return mask === undefined ? value : guardedMask(() => masked(mask, value) as T);
}

function masked(mask: Mask, value: unknown): unknown {
  if (typeof value === "string") return mask(value);
  return Array.isArray(value)
    ? value.map((entry) => masked(mask, entry))
    : isObject(value)
      ? entries(mask, value)
      : value;
}

function entries(mask: Mask, value: unknown, unmasked?: RegExp): Fields {
  if (!isObject(value)) return masked(mask, value) as Fields;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => {
      if (unmasked?.test(name)) return [name, entry];
      // A marked step has the receipt of its retrieval.
      return [name, name === "reflect_step" ? entries(mask, entry, PROTOCOL) : masked(mask, entry)];
    }),
  );
}

function guardedMask<T>(body: () => T): T {
  try {
    return body();
  } catch (cause) {
    throw new MaskError("The mask threw an error, so nothing was sent.", { cause });
  }
}
