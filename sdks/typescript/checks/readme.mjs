/**
 * Runs the TypeScript blocks of the README and of docs/TYPESCRIPT.md against a real server, compares their output, and
 * checks their types.
 *
 *     node checks/readme.mjs
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { runDocument } from "./frameworks/pages.mjs";
import { withLiveServer } from "./frameworks/world.mjs";

const root = new URL("../", import.meta.url);
const PAGES = [new URL("README.md", root), new URL("../../docs/TYPESCRIPT.md", root)];

/** Fails unless the blocks of a page, as one program, have no type errors. */
function checkTypes(url) {
  const name = url.pathname.split("/").at(-1).replace(".md", "");
  const blocks = readFileSync(url, "utf8").matchAll(/^```typescript.*\n([^]*?)^```$/gm);
  const folder = new URL("build/types/", root);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.ts`, folder), [...blocks].map(([, code]) => code).join("\n"));
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"];
  const words = [
    ...options,
    "--types",
    "node",
    "--lib",
    "es2023,dom,esnext.disposable",
    `build/types/${name}.ts`,
  ];
  const { status, stdout } = spawnSync("node_modules/.bin/tsc", words, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`${name} has type errors:\n${stdout}`);
}

let blocks = 0;
await withLiveServer(async ({ base_url, api_key }) => {
  for (const page of PAGES) {
    checkTypes(page);
    blocks += await runDocument(page, {
      REFLECT_BASE_URL: base_url,
      REFLECT_API_KEY: api_key,
      REFLECT_PROJECT_ID: `readme-${crypto.randomUUID()}`,
      REFLECT_SPOOL_DIR: mkdtempSync(join(tmpdir(), "reflect-readme-")),
    });
  }
});
console.log(`readme: ${blocks} blocks run`);
