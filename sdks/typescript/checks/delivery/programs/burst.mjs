/** Produces many runs at once, then waits for the command to flush. */

import { finish, ORDER, Runs, tell, told } from "./runs.mjs";

const runs = new Runs();
const count = ORDER.count * (ORDER.parallel ?? 1);
for (let index = 0; index < count; index += 1) runs.oneAtOnce();
tell("produced");
await told("end");
const result = await runs.client.flush(90_000);
runs.noteDropped();
finish(result);
