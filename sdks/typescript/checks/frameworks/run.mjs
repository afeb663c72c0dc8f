/**
 * Runs real agents of each framework against a real server and a model server.
 *
 *     node checks/frameworks/run.mjs [ai] [langgraph] [openai-agents]
 *
 * Prints a JSON line per framework, `{"framework": …, "version": …, "checks": …}`, and what failed on standard error. The
 * exit code is 1 if a check failed, or if a client that forgets tool results was not noticed. Version 7 of `ai` needs
 * Node 22: an older Node starts the one that `cargo xtask setup --sdk` installed into the cache.
 */

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const OLDEST_NODE = 22;
const names = process.argv.slice(2);

if (!existsSync(new URL("../../dist/index.js", import.meta.url))) {
  throw new Error("the package is not built: run sdks/typescript/build.sh");
}
if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) {
  const { runFrameworks } = await import("./harness.mjs");
  process.exitCode = (await runFrameworks(names)) ? 0 : 1;
} else {
  const { status } = spawnSync(newerNode(), [import.meta.filename, ...names], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}

/** The Node in the cache, which runs `pyright`. */
function newerNode() {
  const ofUser = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "reflect");
  const cache = process.env.REFLECT_CACHE ?? (process.getuid() === 0 ? "/var/cache/reflect" : ofUser);
  const folder = join(cache, "pyright");
  const found = existsSync(folder) ? readdirSync(folder).map((version) => join(folder, version, "node")) : [];
  const node = found.find((path) => existsSync(path));
  if (node === undefined) {
    throw new Error(
      `Node ${process.versions.node} is too old: use Node 22, or run \`cargo xtask setup --sdk\``,
    );
  }
  return node;
}
