/**
 * Drives the TypeScript client: reads one call per line from stdin, makes it, and writes one line with the result.
 *
 * The compatibility cases are written in Python, and `through_driver` forwards their calls to this program. It calls
 * public methods of the client and contains no logic: results and errors are returned unchanged, with the names of the
 * HTTP contract.
 */

import { createInterface } from "node:readline";

import { bootstrap } from "../../sdks/typescript/dist/bootstrap.js";
import { ReflectClient } from "../../sdks/typescript/dist/index.js";
import { calls } from "./calls.mjs";
import { problemOf } from "./problem.mjs";
import { runCalls } from "./runs.mjs";

/** The data of the caller, whose keys are not names of the contract. */
const CALLERS = new Set(["metadata", "trajectory"]);

const clients = new Map();

async function answer({ dropped = [], call, client: number = 0, arguments: given }) {
  for (const one of dropped) {
    void clients.get(one)?.shutdown();
    clients.delete(one);
  }
  if (call === "bootstrap") {
    const { base_url: baseUrl, bootstrap_token: bootstrapToken, user_id: userId, project_id: projectId } = given;
    return await bootstrap({ baseUrl, bootstrapToken, userId, projectId });
  }
  if (call === "build") {
    const { base_url: baseUrl, api_key: apiKey, project_id: projectId } = given;
    clients.set(number, new ReflectClient({ baseUrl, apiKey, projectId: projectId ?? undefined }));
    return null;
  }
  const client = clients.get(number);
  const method = calls[call] ?? runCalls[call];
  if (client === undefined || method === undefined) throw new TypeError(`no client ${number} or no call ${call}`);
  return await method(client, given);
}

for await (const line of createInterface({ input: process.stdin })) {
  const result = await answer(JSON.parse(line)).then(
    (value) => ({ value: named(value) }),
    (error) => ({ problem: problemOf(error) }),
  );
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
for (const client of clients.values()) await client.shutdown();

/** The value with the names of the HTTP contract, and null for what is absent. */
function named(value) {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.map(named);
  if (typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      CALLERS.has(name) ? entry : named(entry),
    ]),
  );
}
