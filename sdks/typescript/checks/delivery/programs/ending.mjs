/** Produces runs and ends in the requested way, without a flush. */

import { ORDER, Runs } from "./runs.mjs";

const runs = new Runs();
const { how } = ORDER;
if (how === "handlers") {
  let asked = false;
  process.on("beforeExit", () => {
    if (!asked) void runs.one();
    asked = true;
  });
}
if (how === "error") process.on("exit", () => runs.noteDropped());
for (let index = 0; index < ORDER.count; index += 1) await runs.one();
if (how === "at once") process.exit();
if (how === "error") setImmediate(() => Promise.reject(new Error("the program fails")));
process.stdin.destroy();
