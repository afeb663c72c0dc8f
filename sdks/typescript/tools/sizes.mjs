/**
 * Measures the package: the size of each entry point, minified and compressed with brotli, against its budget; whether
 * what is not imported is left out; and whether the core imports anything.
 */

import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";

import { build } from "esbuild";

const KB = 1000;
const root = new URL("..", import.meta.url).pathname;
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"));

/** The size of a bundle of this code, and the modules that it imports from elsewhere. */
async function bundle(code, platform) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: root, loader: "js" },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform,
    write: false,
    logLevel: "error",
    metafile: true,
    packages: "external",
    alias: Object.fromEntries(
      Object.entries(manifest.exports)
        .filter(([, target]) => typeof target === "object")
        .map(([name, target]) => [name.replace(".", manifest.name), `${root}${target.default}`])
        .toSorted(([one], [other]) => other.length - one.length),
    ),
  });
  const [output] = Object.values(metafile.outputs);
  const imports = output.imports.filter(({ external }) => external).map(({ path }) => path);
  return { size: brotliCompressSync(outputFiles[0].contents).byteLength, imports };
}

const CASES = [
  ["core", 'export * from "reflect-memory"', 12 * KB, "neutral"],
  [
    "errors alone",
    'import { NotFoundError } from "reflect-memory"; console.log(NotFoundError)',
    KB,
    "neutral",
  ],
  ["nothing", 'import "reflect-memory"', 50, "neutral"],
  ["bootstrap", 'export * from "reflect-memory/bootstrap"', 6 * KB, "neutral"],
  ["feedback", 'export * from "reflect-memory/feedback"', 0.5 * KB, "neutral"],
  ["signals", 'export * from "reflect-memory/signals"', 3 * KB, "neutral"],
  ["recorder", 'export * from "reflect-memory/recorder"', 3 * KB, "neutral"],
  ["node", 'export * from "reflect-memory/node"', 4 * KB, "node"],
];

let failed = false;
for (const [name, code, budget, platform] of CASES) {
  const { size, imports } = await bundle(code, platform);
  const foreign = imports.filter((path) => platform === "neutral" || !/^(node:)?\w+$/.test(path));
  const fits = size <= budget && foreign.length === 0;
  failed ||= !fits;
  const note = foreign.length > 0 ? `, imports ${foreign.join(", ")}` : "";
  console.log(
    `${fits ? "ok  " : "FAIL"} ${name}: ${(size / KB).toFixed(2)} of ${budget / KB} kB brotli${note}`,
  );
}
const dependencies = Object.keys(manifest.dependencies ?? {});
failed ||= dependencies.length > 0;
console.log(`${dependencies.length > 0 ? "FAIL" : "ok  "} ${dependencies.length} dependencies`);
process.exitCode = failed ? 1 : 0;
