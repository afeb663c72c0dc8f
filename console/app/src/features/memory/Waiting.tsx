// Why a memory waits, and what looks out of place in it. It stands above the text, so that it is read first.
import type { MemoryDetail } from "../../api/memories";
import { shown } from "../../parts/reveal";
import { flagWords, whyItWaits } from "../memories/flags";

export function Waiting({ memory }: { memory: MemoryDetail }) {
  const why = whyItWaits(memory);
  if (why.length === 0 && memory.flags.length === 0) return null;
  return (
    <section
      aria-labelledby="waiting"
      className={`flex max-w-3xl flex-col gap-1 rounded px-3 py-2 ${memory.quarantined ? "bg-warn-tint" : "bg-sunken"}`}
    >
      <h2 id="waiting">{memory.quarantined ? "Why it waits" : "What looks out of place"}</h2>
      {why.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      {memory.flags.length === 0 ? null : (
        <>
          <dl className="grid grid-cols-[auto_1fr] gap-x-3">
            {memory.flags.map((flag) => (
              <div key={flag} className="col-span-2 grid grid-cols-subgrid">
                <dt className="font-semibold">{shown(flag)}</dt>
                <dd>{flagWords(flag)}</dd>
              </div>
            ))}
          </dl>
          <p className="text-sm text-soft">
            Flags are signs, no proof, and look at the task as well.
            {memory.version > 1 ? " They were put on its first text; it was edited since." : ""}
          </p>
        </>
      )}
    </section>
  );
}
