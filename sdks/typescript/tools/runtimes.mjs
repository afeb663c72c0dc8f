/** The JavaScript runtimes that the tests run on. Bun and Deno are npm packages with their programs. */

import { existsSync, readdirSync } from "node:fs";

const packages = new URL("../node_modules/", import.meta.url).pathname;

/** The program in a package for this platform; undefined if no package for it is installed. */
function program(scope, name) {
  const found = existsSync(packages + scope) ? readdirSync(packages + scope) : [];
  return found
    .flatMap((platform) => [
      `${packages}${scope}/${platform}/bin/${name}`,
      `${packages}${scope}/${platform}/${name}`,
    ])
    .find((path) => existsSync(path));
}

/** For each runtime: its name, how it runs test files, and how it runs a program. */
export const RUNTIMES = [
  { name: "node", test: [process.execPath, "--test"], run: [process.execPath] },
  {
    name: "bun",
    test: [program("@oven", "bun"), "test", "--timeout", "60000"],
    run: [program("@oven", "bun")],
  },
  {
    name: "deno",
    test: [program("@deno", "deno"), "test", "--allow-all", "--no-check", "--quiet"],
    run: [program("@deno", "deno"), "run", "--allow-all"],
  },
];
