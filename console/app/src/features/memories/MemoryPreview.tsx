// A memory preview beside the list.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { errorMessage } from "../../api/errors";
import { memoryQuery } from "../../api/memories";
import { Key } from "../../keys/Key";
import { useKeys } from "../../keys/KeyProvider";
import { RunText } from "../../parts/RunText";
import { Scroll } from "../../parts/Scroll";
import { LessonText } from "./LessonText";
import { StatusChips } from "./StatusChips";
import { pinVerb, presenceVerb, quarantineVerb } from "./labels";
import { CreditBar, describeInterval, ValueWithCount } from "./Credit";

export function MemoryPreview(props: { project: string; memory: string; onClose: () => void }) {
  const { data: memory, error } = useQuery(memoryQuery(props.project, props.memory));
  const { run } = useKeys();
  const button = (action: string, verb: string | null, key: string) =>
    verb === null ? null : (
      <button type="button" className="btn btn-small" onClick={() => run(action)}>
        {verb.charAt(0).toUpperCase() + verb.slice(1)} <Key name={key} />
      </button>
    );
  return (
    <aside
      aria-label="Preview"
      className="flex w-[26rem] shrink-0 flex-col border-s border-line bg-raised max-md:fixed max-md:inset-0 max-md:z-30 max-md:w-auto"
    >
      <header className="flex h-10 items-center gap-2 border-b border-line px-3">
        <Link
          className="btn btn-small"
          to="/p/$project/memories/$memory"
          params={{ project: props.project, memory: props.memory }}
        >
          Open <Key name="o" />
        </Link>
        <span className="text-xs text-soft">
          <Key name="j" /> <Key name="k" /> move
        </span>
        <button type="button" className="btn btn-plain btn-small ms-auto" onClick={props.onClose}>
          Close <Key name="Escape" />
        </button>
      </header>
      <Scroll className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3" label="Memory">
        {error === null ? null : <p className="text-fail">{errorMessage(error)}</p>}
        {memory === undefined ? null : (
          <>
            <p className="flex flex-wrap gap-2">
              {memory.status === "erased" ? null : button("edit", "edit", "e")}
              {button("disable", presenceVerb(memory), "d")}
              {button("pin", pinVerb(memory), "p")}
              {button("quarantine", quarantineVerb(memory), "q")}
            </p>
            <StatusChips memory={memory} />
            <section>
              <h2>Task</h2>
              <RunText text={memory.task} lines={8} words />
            </section>
            <LessonText lesson={memory} />
            <section>
              <h2>Value</h2>
              <p>
                Utility <ValueWithCount value={memory.utility} n={memory.reviews} />,{" "}
                {memory.reviews === 0
                  ? "not used by any reviewed run"
                  : `${memory.passes.toLocaleString()} of ${memory.reviews.toLocaleString()} runs passed`}
              </p>
              <p>
                Credit <ValueWithCount value={memory.credit} n={memory.evidence} />{" "}
                <CreditBar credit={memory.credit} interval={memory.credit_interval} />{" "}
                <span className="text-sm text-soft">{describeInterval(memory.credit_interval)}</span>
              </p>
            </section>
          </>
        )}
      </Scroll>
    </aside>
  );
}
