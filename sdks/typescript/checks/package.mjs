/**
 * Installs the package as it would be published into an empty folder, and loads it there on Node (as a module and with
 * `require`), Bun and Deno.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { RUNTIMES } from "../tools/runtimes.mjs";

const root = new URL("../", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "reflect-package-"));

/** Runs a command and returns its output. Throws if it fails. */
function run([program, ...words], cwd = folder) {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, encoding: "utf8" });
  if (status !== 0)
    throw new Error(`${program} ${words.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

const USE = `
const client = new ReflectClient({ apiKey: "k", spool: diskSpool({ folder: "spool" }) });
console.log([client.baseUrl, typeof recorderOf, typeof bootstrap, typeof sendFeedback, typeof signalsOf(client).send].join());
`;
const MODULE = `
import { bootstrap } from "reflect-memory/bootstrap";
import { sendFeedback } from "reflect-memory/feedback";
import { diskSpool } from "reflect-memory/node";
import { recorderOf } from "reflect-memory/recorder";
import { signalsOf } from "reflect-memory/signals";
import { ReflectClient } from "reflect-memory";
${USE}`;
const COMMON = MODULE.replace(/import (.*) from "(.*)";/g, 'const $1 = require("$2");');

try {
  const [{ filename, files }] = JSON.parse(
    run(["npm", "pack", "--json", "--pack-destination", folder], root),
  );
  const installed = join(folder, "node_modules", "reflect-memory");
  mkdirSync(installed, { recursive: true });
  run(["tar", "-xzf", filename, "--strip-components=1", "-C", installed]);
  const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  if (!readFileSync(join(installed, "dist/version.js"), "utf8").includes(`"${version}"`)) {
    throw new Error(`src/version.ts has another version than package.json, ${version}`);
  }
  const foreign = files
    .map(({ path }) => path)
    .filter((path) => !/^(dist\/|README\.md|LICENSE|package\.json)/.test(path));
  if (foreign.length > 0) throw new Error(`the package contains ${foreign.join(", ")}`);
  // Deno finds packages of Node only if package.json names them.
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ dependencies: { "reflect-memory": version } }),
  );
  writeFileSync(join(folder, "use.mjs"), MODULE);
  writeFileSync(join(folder, "use.cjs"), COMMON);
  const programs = RUNTIMES.map(({ name, run: words }) => [name, [...words, "use.mjs"]]);
  for (const [name, words] of [...programs, ["node, require", [process.execPath, "use.cjs"]]]) {
    const output = run(words).trim();
    if (output !== `http://localhost:8000${",function".repeat(4)}`)
      throw new Error(`${name} printed ${output}`);
  }
  console.log(`package: ${files.length} files, loads in ${RUNTIMES.length} runtimes`);
} finally {
  rmSync(folder, { recursive: true });
}
