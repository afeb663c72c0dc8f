// Why a memory is in quarantine, and its flags. Shown above the text, because it must be read first.
import type { MemoryDetail } from "../../api/memories";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import { describeFlag, flagName, quarantineReasons } from "../memories/flags";

export function QuarantineNotice({ memory }: { memory: MemoryDetail }) {
  const why = quarantineReasons(memory);
  const { quarantine: texts } = t.memory;
  if (why.length === 0 && memory.flags.length === 0) return null;
  return (
    <section
      aria-labelledby="waiting"
      className={`flex max-w-3xl flex-col gap-1 rounded px-3 py-2 ${memory.quarantined ? "bg-warn-tint" : "bg-sunken"}`}
    >
      <h2 id="waiting">{memory.quarantined ? texts.title : texts.flags}</h2>
      {why.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      {memory.flags.length === 0 ? null : (
        <>
          <dl className="grid grid-cols-[auto_1fr] gap-x-3">
            {memory.flags.map((flag) => (
              <div key={flag} className="col-span-2 grid grid-cols-subgrid">
                <dt className="font-semibold">{shown(flagName(flag))}</dt>
                <dd>{describeFlag(flag)}</dd>
              </div>
            ))}
          </dl>
          <p className="text-sm text-soft">{memory.version > 1 ? texts.hintEdited : texts.hint}</p>
        </>
      )}
    </section>
  );
}
