/** Sends what other processes left in the spool. */

import { finish, Runs } from "./runs.mjs";

finish(await new Runs().client.flush(60_000));
