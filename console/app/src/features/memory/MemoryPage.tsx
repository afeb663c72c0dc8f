// Does this lesson help? Its text, what moved it, where it came from, and the care for it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { CallFailed, words } from "../../api/failure";
import { type MemoryDetail, memoryQuery } from "../../api/memories";
import { Key } from "../../keys/Key";
import { useKeys, useScreenKeys } from "../../keys/KeyProvider";
import type { Json } from "../../parts/json";
import { JsonTree } from "../../parts/JsonTree";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { Scroll } from "../../parts/Scroll";
import { percent } from "../../parts/time";
import { Empty, PageHead } from "../../shell/Page";
import { tell } from "../../shell/toasts";
import { SourceSheet } from "../memories/SourceSheet";
import { StatusChips } from "../memories/StatusChips";
import { useCare } from "../memories/useCare";
import { CreditBar, intervalWords, WithN } from "../memories/Worth";
import { oneLine, pinVerb, presenceVerb, quarantineVerb } from "../memories/wording";
import { Block, Fact, Facts } from "./Block";
import { EditSheet } from "./EditSheet";
import { EraseSheet } from "./EraseSheet";
import { History } from "./History";
import { MEMORY_KEYS } from "./keys";
import { LessonText } from "./LessonText";
import { MergeSheet } from "./MergeSheet";
import { nearest } from "./nearest";
import { Neighbours } from "./Neighbours";
import { Provenance } from "./Provenance";
import { Uses } from "./Uses";
import { Versions } from "./Versions";
import { Waiting } from "./Waiting";

const ROUTE = "/p/$project/memories/$memory";

type Sheet = "edit" | "erase" | "source" | { merge: string };

export function MemoryPage() {
  const { project, memory: id } = useParams({ from: ROUTE });
  const { data: memory, error } = useQuery(memoryQuery(project, id));
  if (error !== null && memory === undefined) {
    const gone = error instanceof CallFailed && error.status === 404;
    return (
      <>
        <PageHead title="Memory" />
        <Empty title={gone ? "There is no such memory" : "The memory could not be read"}>
          <p className="text-fail">{words(error)}</p>
          <Link className="btn" to="/p/$project/memories" params={{ project }}>
            All memories
          </Link>
        </Empty>
      </>
    );
  }
  return memory === undefined ? <PageHead title="Memory" /> : <Loaded project={project} memory={memory} />;
}

function Loaded(props: { project: string; memory: MemoryDetail }) {
  const { project, memory } = props;
  const navigate = useNavigate();
  const care = useCare(project);
  const client = useQueryClient();
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const living = memory.status === "active" || memory.status === "quarantined";
  const act = (verb: ReturnType<typeof presenceVerb>) => {
    if (verb === null) tell({ text: `That cannot be done to a memory that is ${memory.status}.` });
    else void care.verb(memory.id, verb);
  };
  const mergeNearest = async () => {
    const other = living ? await nearest(client, project, memory.id) : undefined;
    if (other === undefined) tell({ text: "There is no neighbour to merge it with." });
    else setSheet({ merge: other });
  };
  useScreenKeys(MEMORY_KEYS, {
    edit: () => memory.status !== "erased" && setSheet("edit"),
    disable: () => act(presenceVerb(memory)),
    pin: () => act(pinVerb(memory)),
    quarantine: () => act(quarantineVerb(memory)),
    merge: () => void mergeNearest().catch((thrown: unknown) => tell({ text: words(thrown), tone: "bad" })),
    undo: care.undo,
    delete: () => void care.remove(memory.id),
    erase: () => setSheet("erase"),
    retire: () => setSheet("source"),
    try: () =>
      void navigate({ to: "/p/$project/retrieve", params: { project }, search: { task: memory.task } }),
    list: () => void navigate({ to: "/p/$project/memories", params: { project } }),
  });
  const close = () => setSheet(null);
  return (
    <>
      <PageHead title={shown(oneLine(memory))} about={<StatusChips memory={memory} />}>
        <Actions memory={memory} />
      </PageHead>
      <Scroll
        label="Memory"
        className="grid min-h-0 flex-1 gap-x-8 gap-y-5 overflow-y-auto p-4 lg:grid-cols-[minmax(0,1fr)_22rem]"
      >
        <div className="flex min-w-0 flex-col gap-5">
          {memory.merged_into == null ? null : (
            <p className="rounded bg-sunken px-3 py-2">
              It was merged into{" "}
              <Link
                className="link"
                to="/p/$project/memories/$memory"
                params={{ project, memory: memory.merged_into }}
              >
                another memory
              </Link>
              , which took its place.
            </p>
          )}
          <Waiting memory={memory} />
          <div className="card flex max-w-3xl flex-col gap-3 p-4">
            <section>
              <h2>Task</h2>
              <RunText text={memory.task} lines={12} words />
            </section>
            <LessonText lesson={memory} />
          </div>
          <History project={project} memory={memory.id} />
          <Uses project={project} memory={memory} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <Worth memory={memory} />
          <Provenance project={project} memory={memory} onSource={() => setSheet("source")} />
          <Neighbours
            project={project}
            memory={memory.id}
            onMerge={living ? (merge) => setSheet({ merge }) : null}
          />
          <Versions memory={memory} />
          <Block title="Metadata">
            {Object.keys(memory.metadata).length === 0 ? (
              <p className="text-sm text-soft">It has none.</p>
            ) : (
              <JsonTree value={memory.metadata as Json} label="Metadata" levels={1} />
            )}
          </Block>
        </div>
      </Scroll>
      {sheet === "edit" ? <EditSheet project={project} memory={memory} onClose={close} /> : null}
      {sheet === "erase" ? <EraseSheet project={project} memory={memory.id} onClose={close} /> : null}
      {sheet === "source" ? (
        <SourceSheet
          project={project}
          start={
            memory.author_key_id == null
              ? { kind: "trace", trace: memory.source_trace_id ?? "" }
              : { key: memory.author_key_id, trace: memory.source_trace_id ?? "" }
          }
          onClose={close}
        />
      ) : null}
      {typeof sheet === "object" && sheet !== null ? (
        <MergeSheet project={project} ids={[memory.id, sheet.merge]} onClose={close} />
      ) : null}
    </>
  );
}

/** What can be done now; the same as by key and in the palette. */
function Actions(props: { memory: MemoryDetail }) {
  const { run } = useKeys();
  const { memory } = props;
  const living = memory.status === "active" || memory.status === "quarantined";
  const offered: [action: string, label: string | null, key?: string][] = [
    ["try", memory.status === "erased" ? null : "Try it", "t"],
    ["edit", memory.status === "erased" ? null : "Edit", "e"],
    ["disable", presenceVerb(memory), "d"],
    ["pin", pinVerb(memory), "p"],
    ["quarantine", quarantineVerb(memory), "q"],
    ["merge", living ? "Merge" : null, "m"],
    ["delete", living || memory.status === "disabled" ? "Delete" : null],
    ["erase", memory.status === "erased" ? null : "Erase"],
  ];
  return (
    <div className="flex flex-wrap justify-end gap-1.5">
      {offered.map(([action, label, key]) =>
        label === null ? null : (
          <button key={action} type="button" className="btn btn-small" onClick={() => run(action)}>
            {label.charAt(0).toUpperCase() + label.slice(1)} <Key name={key} />
          </button>
        ),
      )}
    </div>
  );
}

function Worth(props: { memory: MemoryDetail }) {
  const { memory } = props;
  return (
    <Block title="What it is worth">
      <Facts>
        <Fact name="Utility">
          <WithN value={memory.q_value} n={memory.reviews} />
        </Fact>
        <Fact name="Credit">
          <WithN value={memory.credit} n={memory.evidence} />{" "}
          <CreditBar credit={memory.credit} interval={memory.credit_interval} />
          <span className="block text-xs text-soft">{intervalWords(memory.credit_interval)}</span>
        </Fact>
        <Fact name="Passed">
          {memory.reviews === 0
            ? "never shown to a reviewed run"
            : `${memory.passes} of ${memory.reviews} runs, ${percent(memory.passes / memory.reviews)}`}
        </Fact>
        <Fact name="Last used">{memory.last_used ?? "never"}</Fact>
      </Facts>
    </Block>
  );
}
