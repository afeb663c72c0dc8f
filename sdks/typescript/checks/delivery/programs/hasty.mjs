/** The mutant that acknowledges runs in the spool when they are stored, and not when the server has them. */

import { diskSpool } from "reflect-memory/node";

import { ORDER, Runs, tell, told } from "./runs.mjs";

const spool = diskSpool({ folder: ORDER.spool });
const hasty = {
  open(...destination) {
    const journal = spool.open(...destination);
    return {
      append(record) {
        const place = journal.append(record);
        if (place) journal.settle([place]);
        return place;
      },
      read: (place) => journal.read(place),
      settle() {},
      adopt: () => journal.adopt(),
      release: () => journal.release(),
    };
  },
};
const runs = new Runs({ spool: hasty });
for (let index = 0; index < ORDER.count; index += 1) runs.oneAtOnce();
tell("produced");
await told("never");
