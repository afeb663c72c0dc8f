/**
 * Sends the calls. A call is described by one line of text:
 *
 *     <shape> <method> <path> <flags>
 *
 * `shape` is the field that the response must have, `array`, or `pages`. A `:` in the path is an argument of the call.
 * Then follows the argument for the query (`query`), for the body (`body`, or `body=field` for a body with one field),
 * for a body with the mask applied to its texts (`masked`), or for the JSON of a body (`json`). The last argument has
 * the options of the call. `empty` sends an empty body; `key` a new idempotency key, `key=field` the value of a field
 * of the body, in the client's names; `flush` sends queued runs before the call, `flush=id` only the one that the path names.
 */

import type { Settings } from "../settings.js";
import type { CallOptions } from "../types.js";
import type { Api, Call } from "../wire/api.js";
import { maskedJson, maskedText } from "../wire/mask.js";
import { toContract } from "../wire/names.js";
import type { Pages } from "../wire/pages.js";

/** What calls need from their client. */
export interface CallContext {
  readonly api: Api;
  readonly settings: Settings;
  /** Sends queued runs, so that a read returns what this process wrote before. */
  flushed(traceId?: string): Promise<void>;
}

/** The contexts of clients, for calls that are not part of the core. They contain the key, so they are no property. */
export const contexts = new WeakMap<object, CallContext>();

type Fields = Record<string, unknown> & { q?: string | null };

/** The calls of a group, such as `lessons`. A test compares each of them with openapi.json. */
export function calls<T extends object>(
  context: CallContext,
  group: string,
  routes: Record<string, string>,
): T {
  const built = Object.entries(routes).map(([verb, route]) => [
    verb,
    (...given: unknown[]) =>
      (route.startsWith("pages") ? list : send)(context, `${group}.${verb}`, route, ...given),
  ]);
  return Object.fromEntries(built) as T;
}

/** Sends a call and returns the body of its response. */
export async function send<T>(
  context: CallContext,
  name: string,
  route: string,
  ...given: unknown[]
): Promise<T> {
  const { shape, call, flush } = prepared(context, name, route, given);
  await flush();
  return context.api.call(shape, call);
}

function list<T>(context: CallContext, name: string, route: string, ...given: unknown[]): Pages<T> {
  const { call, flush } = prepared(context, name, route, given);
  return context.api.pages(call, flush);
}

function prepared(context: CallContext, name: string, route: string, given: unknown[]) {
  const { mask } = context.settings;
  const [shape, method, template, ...flags] = route.split(" ") as [string, string, string, ...string[]];
  const segments = template ? template.split("/") : [];
  const path = segments.map((segment) => (segment === ":" ? String(given.shift() ?? "") : segment));
  const more: { -readonly [K in keyof Call]?: Call[K] } = {};
  let flush = async () => {};
  let argument: Fields | undefined;
  for (const flag of flags) {
    const [word, field] = flag.split("=") as [string, string?];
    if (word === "flush") flush = () => context.flushed(field && path[1]);
    else if (word === "empty") more.body = {};
    else if (word === "key") more.idempotent = field ? String(argument?.[field]) : true;
    else {
      argument = given.shift() as Fields | undefined;
      // The stored texts are masked, so a search for a masked text finds them.
      if (argument?.q) argument = { ...argument, q: maskedText(mask, argument.q) };
      if (word === "query") more.query = argument;
      else if (word === "body") more.body = field ? { [field]: argument } : (argument ?? {});
      else more.json = word === "json" ? String(argument) : maskedJson(mask, toContract(argument) as object);
    }
  }
  const call: Call = { name, method, path, options: given.shift() as CallOptions | undefined, ...more };
  return { shape, call, flush };
}
