/** Runs the checks of each framework with a server and a model server of their own. */

import { AssertionError } from "node:assert";
import { readFileSync } from "node:fs";

import { ModelServer } from "./model-server.mjs";
import { withLiveServer, World } from "./world.mjs";

const FRAMEWORKS = ["ai", "langgraph", "openai-agents"];
/** Far above the usual time of a check. */
const CHECK_SECONDS = 300;

/** The installed version of a package. */
function versionOf(name) {
  const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}

async function limited(label, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${label} did not end within ${CHECK_SECONDS} s`)),
      CHECK_SECONDS * 1000,
    );
  });
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Errors of adapters never reach the agent, so they would not fail a check either. They are logged once. */
const faults = [];
console.warn = (...message) => {
  if (String(message[0]).includes("recording failed")) faults.push(message.join(" "));
};

async function runFramework(name, server) {
  const framework = await import(`./${name}.mjs`);
  const failed = [];
  for (const [label, check] of Object.entries(framework.checks)) {
    const model = await new ModelServer().start();
    const world = new World(server);
    try {
      await limited(label, check({ world, model }));
      if (faults.length > 0) throw new Error(faults.splice(0).join("\n"));
    } catch (error) {
      failed.push(label);
      console.error(`FAIL ${name}: ${label}\n${error.stack ?? error}`);
    }
    await world.close();
    await model.stop();
  }
  const checks = Object.keys(framework.checks).length - failed.length;
  console.log(
    JSON.stringify({
      framework: framework.title,
      version: versionOf(framework.packageName),
      checks,
    }),
  );
  return failed.length === 0;
}

/** Sends runs without their tool results. */
function forgetful(url, init) {
  if (!url.endsWith("/traces/batch")) return fetch(url, init);
  const batch = JSON.parse(new TextDecoder().decode(init.body));
  for (const trace of batch.traces) trace.trajectory = trace.trajectory.filter(({ role }) => role !== "tool");
  return fetch(url, { ...init, body: JSON.stringify(batch) });
}

/** Whether the first check of a framework fails with a client that forgets tool results. */
async function mutantIsCaught(name, server) {
  const { checks } = await import(`./${name}.mjs`);
  const [check] = Object.values(checks);
  const model = await new ModelServer().start();
  const world = new World(server, { fetch: forgetful });
  try {
    await limited("the mutant", check({ world, model }));
  } catch (error) {
    if (error instanceof AssertionError) {
      console.log(`${name}: mutant caught: forgotten tool results`);
      return true;
    }
    console.error(error.stack ?? error);
  } finally {
    await world.close();
    await model.stop();
  }
  console.error(`FAIL ${name}: forgotten tool results were not noticed`);
  return false;
}

/** Runs the checks of these frameworks, or of all, and a mutant of each. Whether all checks passed. */
export async function runFrameworks(names) {
  const unknown = names.filter((name) => !FRAMEWORKS.includes(name));
  if (unknown.length > 0) {
    throw new Error(`no framework ${unknown.join(", ")}; there are ${FRAMEWORKS.join(", ")}`);
  }
  return await withLiveServer(async (server) => {
    let passed = true;
    for (const name of names.length === 0 ? FRAMEWORKS : names) {
      passed = (await runFramework(name, server)) && passed;
      passed = (await mutantIsCaught(name, server)) && passed;
    }
    return passed;
  });
}
