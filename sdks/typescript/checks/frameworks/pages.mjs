/** Runs the TypeScript blocks of a how-to page, and examples, as programs of their own. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";

import ts from "typescript";

const PACKAGE = new URL("../../", import.meta.url);
const PAGES = new URL("../../../../docs/how-to/", import.meta.url);
/** Inside the package, so that programs find `reflect-memory` and the frameworks. */
const PROGRAMS = new URL("build/programs/", PACKAGE);
/** Separates the outputs of the blocks. */
const MARK = "--- end of block ---";

/** Fails unless all blocks of the how-to page run, and print what the page shows. */
export async function runPage(name, environment) {
  return await runDocument(new URL(name, PAGES), environment);
}

/** The same for any page. Returns the number of its blocks. */
export async function runDocument(url, environment) {
  const name = url.pathname.split("/").at(-1);
  const blocks = blocksOf(await readFile(url, "utf8"));
  const program = blocks.map(({ code }) => `${code}\nconsole.log("${MARK}");\n`).join("");
  const outputs = (await runProgram(basename(name, ".md"), program, environment)).split(MARK);
  for (const [index, { shown }] of blocks.entries()) {
    if (shown !== undefined)
      assert.equal(outputs[index].trim(), shown.trim(), `the output of block ${index + 1} of ${name}`);
  }
  return blocks.length;
}

/** The output of an example. */
export async function runExample(name, environment) {
  const source = await readFile(new URL(`examples/${name}`, PACKAGE), "utf8");
  return await runProgram(`example-${name.replace(".ts", "")}`, source, environment);
}

/** The TypeScript blocks of a page, each with the output that follows it. */
function blocksOf(page) {
  const found = [];
  for (const [, language, text] of page.matchAll(/^```(\w+).*\n([^]*?)^```$/gm)) {
    if (language === "typescript") found.push({ code: text, shown: undefined });
    else if (language === "text") found.at(-1).shown = text;
  }
  assert.ok(found.length > 0, "the page has no block");
  return found;
}

async function runProgram(name, source, environment) {
  await mkdir(PROGRAMS, { recursive: true });
  const file = new URL(`${name}.mjs`, PROGRAMS);
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  await writeFile(file, ts.transpileModule(source, { compilerOptions: options }).outputText);
  const inherited = { PATH: process.env.PATH, HOME: process.env.HOME };
  const program = spawn(process.execPath, [file.pathname], {
    env: { ...inherited, ...environment },
  });
  let output = "";
  let errors = "";
  program.stdout.on("data", (chunk) => (output += chunk));
  program.stderr.on("data", (chunk) => (errors += chunk));
  const code = await new Promise((resolve) => program.once("close", resolve));
  assert.equal(code, 0, `${name} ended with ${code}:\n${output}${errors}`);
  assert.doesNotMatch(errors, /recording failed/);
  return output;
}
