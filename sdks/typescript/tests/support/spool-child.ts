/** A process that stores runs in a spool and ends as it is told: `spool-child.js <folder> <count> <kill|wait>`. */

import { diskSpool } from "../../src/node/index.js";

const [folder, count, how] = process.argv.slice(2);
const journal = diskSpool({ folder: folder! })!.open("destination", () => {});
const encoder = new TextEncoder();
for (let index = 0; index < Number(count); index += 1) {
  const traceId = `${process.pid}-${index}`;
  journal.append({ traceId, body: encoder.encode(JSON.stringify({ trace_id: traceId })) });
}
process.stdout.write("stored\n");
if (how === "kill") process.kill(process.pid, "SIGKILL");
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
