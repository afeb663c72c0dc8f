/** Produces runs over a connection that loses responses. The mutant sends no ids, so retries are not idempotent. */

import { finish, ORDER, Runs } from "./runs.mjs";

function forgetful(url, init) {
  if (!url.endsWith("/traces/batch")) return fetch(url, init);
  const { traces } = JSON.parse(new TextDecoder().decode(init.body));
  const body = JSON.stringify({ traces: traces.map(({ trace_id: _id, ...trace }) => trace) });
  return fetch(url, { ...init, body });
}

const runs = new Runs(ORDER.mutant ? { fetch: forgetful } : {});
for (let index = 0; index < ORDER.count; index += 1) await runs.one();
const result = await runs.client.flush(60_000);
runs.noteDropped();
finish(result);
