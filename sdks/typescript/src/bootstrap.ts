/** Sets up a new server: `reflect-memory/bootstrap`. Not part of the client, which runs in every agent. */

import type { Bootstrap, Bootstrapped } from "./generated/bodies.js";
import { resolveSettings } from "./settings.js";
import type { CallOptions, ClientOptions } from "./types.js";
import { Api } from "./wire/api.js";
import { toJson } from "./wire/encode.js";
import { toContract } from "./wire/names.js";

/** The server, its bootstrap token, and the first project. */
export interface NewServer extends Bootstrap, Pick<ClientOptions, "baseUrl" | "fetch"> {
  bootstrapToken: string;
}

/**
 * Creates the first project of a new server and its master key. This works once per server.
 *
 *     const { apiKey } = await bootstrap({ baseUrl, bootstrapToken, userId: "ann", projectId: "support" });
 */
export async function bootstrap(given: NewServer, options: CallOptions = {}): Promise<Bootstrapped> {
  const { baseUrl, bootstrapToken, fetch, ...body } = given;
  // There is no key yet. The server reads only the token.
  const api = new Api({ ...resolveSettings({ baseUrl, fetch, apiKey: "none" }), maxRetries: 0 });
  const call = { name: "bootstrap", options };
  const headers = { "x-bootstrap-token": bootstrapToken };
  const request = { method: "POST", path: "/v1/bootstrap", headers, body: toJson(toContract(body)) };
  return api.read("api_key", call, await api.exchange(request, call));
}
