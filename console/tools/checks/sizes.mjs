// Prints the compressed sizes of what the browser loads with their budgets, and fails if one is exceeded.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";

const DIST = new URL("../../app/dist/", import.meta.url).pathname;
const KB = 1024;
const manifest = JSON.parse(readFileSync(join(DIST, ".vite/manifest.json"), "utf8"));
const sizes = new Map();

const brotli = (file) => {
  if (!sizes.has(file)) sizes.set(file, brotliCompressSync(readFileSync(join(DIST, file))).length);
  return sizes.get(file);
};

/** A chunk and all its static imports. */
const withImports = (name, seen = new Set()) => {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const other of manifest[name]?.imports ?? []) withImports(other, seen);
  return seen;
};
const chunk = (source) => {
  const name = Object.keys(manifest).find((key) => key === source);
  if (name === undefined) throw new Error(`no chunk for ${source}`);
  return withImports(name);
};
const total = (chunks) => [...chunks].reduce((sum, name) => sum + brotli(manifest[name].file), 0);
const union = (...sets) => new Set(sets.flatMap((set) => [...set]));

const entry = chunk("index.html");
const review = union(entry, chunk("src/features/review/ReviewPage.tsx"), chunk("src/parts/Markdown.tsx"));
const beyond = (source) => new Set([...chunk(source)].filter((name) => !entry.has(name)));
const files = readdirSync(join(DIST, "assets"));
const all = (ending) =>
  files.filter((file) => file.endsWith(ending)).reduce((sum, file) => sum + brotli(`assets/${file}`), 0);

const budgets = [
  ["entry", total(entry), 170],
  ["review with markdown", total(review), 230],
  ["memories alone", total(beyond("src/features/memories/MemoriesPage.tsx")), 45],
  ["all scripts", all(".js"), 400],
  ["styles", all(".css"), 20],
];
let over = 0;
for (const [name, size, budget] of budgets) {
  const kb = size / KB;
  if (kb > budget) over += 1;
  // oxlint-disable-next-line no-console -- prints the report
  console.log(
    `${name.padEnd(22)} ${kb.toFixed(1).padStart(6)} kB of ${budget} kB${kb > budget ? "  OVER BUDGET" : ""}`,
  );
}
process.exit(over === 0 ? 0 : 1);
