// One memory: its text, history, provenance and actions.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, errorMessage } from "../../api/errors";
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
import { notify } from "../../parts/notifications";
import { SourceSheet } from "../memories/SourceSheet";
import { StatusChips } from "../memories/StatusChips";
import { useMemoryActions } from "../memories/useMemoryActions";
import { CreditBar, describeInterval, ValueWithCount } from "../memories/Credit";
import { oneLine, pinVerb, presenceVerb, quarantineVerb } from "../memories/labels";
import { Block, Fact, Facts } from "./Block";
import { EditSheet } from "../memories/EditSheet";
import { EraseSheet } from "./EraseSheet";
import { History } from "./History";
import { MEMORY_KEYS } from "./keys";
import { LessonText } from "../memories/LessonText";
import { MergeSheet } from "../memories/MergeSheet";
import { nearestActive } from "../memories/nearest";
import { SimilarMemories } from "./SimilarMemories";
import { Provenance } from "./Provenance";
import { Uses } from "./Uses";
import { Versions } from "./Versions";
import { QuarantineNotice } from "./QuarantineNotice";

const ROUTE = "/p/$project/memories/$memory";

type Sheet = "edit" | "erase" | "source" | { merge: string };

export function MemoryPage() {
  const { project, memory: id } = useParams({ from: ROUTE });
  const { data: memory, error } = useQuery(memoryQuery(project, id));
  if (error !== null && memory === undefined) {
    const gone = error instanceof ApiError && error.status === 404;
    return (
      <>
        <PageHead title="Memory" />
        <Empty title={gone ? "This memory does not exist" : "The memory could not be loaded"}>
          <p className="text-fail">{errorMessage(error)}</p>
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
  const actions = useMemoryActions(project);
  const client = useQueryClient();
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const living = memory.status === "active" || memory.status === "quarantined";
  const act = (verb: ReturnType<typeof presenceVerb>) => {
    if (verb === null) notify({ text: `This action is not possible: the memory is ${memory.status}.` });
    else void actions.verb(memory.id, verb);
  };
  const mergeNearest = async () => {
    const other = living ? await nearestActive(client, project, memory.id) : undefined;
    if (other === undefined) notify({ text: "There is no similar memory to merge with." });
    else setSheet({ merge: other });
  };
  useScreenKeys(MEMORY_KEYS, {
    edit: () => memory.status !== "erased" && setSheet("edit"),
    disable: () => act(presenceVerb(memory)),
    pin: () => act(pinVerb(memory)),
    quarantine: () => act(quarantineVerb(memory)),
    merge: () =>
      void mergeNearest().catch((thrown: unknown) => notify({ text: errorMessage(thrown), tone: "bad" })),
    undo: actions.undo,
    delete: () => void actions.remove(memory.id),
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
              This memory was merged into{" "}
              <Link
                className="link"
                to="/p/$project/memories/$memory"
                params={{ project, memory: memory.merged_into }}
              >
                another memory
              </Link>
              .
            </p>
          )}
          {memory.superseded_by == null ? null : (
            <p className="rounded bg-sunken px-3 py-2">
              A newer run contradicts this memory, so it is no longer served. Enable it if it is right.
            </p>
          )}
          <QuarantineNotice memory={memory} />
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
          <ValueFacts project={project} memory={memory} />
          <Provenance project={project} memory={memory} onSource={() => setSheet("source")} />
          <SimilarMemories
            project={project}
            memory={memory.id}
            onMerge={living ? (merge) => setSheet({ merge }) : null}
          />
          <Versions memory={memory} />
          <Block title="Metadata">
            {Object.keys(memory.metadata).length === 0 ? (
              <p className="text-sm text-soft">None.</p>
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

/** The actions that are possible now; the same as by key and in the command palette. */
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

function ValueFacts(props: { project: string; memory: MemoryDetail }) {
  const { memory } = props;
  return (
    <Block title="Value">
      <Facts>
        <Fact name="Utility">
          <ValueWithCount value={memory.utility} n={memory.reviews} />
        </Fact>
        <Fact name="Lesson">
          <Link
            className="link"
            to="/p/$project/lessons/$lesson"
            params={{ project: props.project, lesson: memory.lesson_id }}
          >
            Open the lesson
          </Link>
        </Fact>
        <Fact name="Credit">
          <ValueWithCount value={memory.credit} n={memory.evidence} />{" "}
          <CreditBar credit={memory.credit} interval={memory.credit_interval} />
          <span className="block text-xs text-soft">{describeInterval(memory.credit_interval)}</span>
        </Fact>
        <Fact name="Passed">
          {memory.reviews === 0
            ? "not used by any reviewed run"
            : `${memory.passes} of ${memory.reviews} runs, ${percent(memory.passes / memory.reviews)}`}
        </Fact>
        <Fact name="Last used">{memory.last_used ?? "never"}</Fact>
      </Facts>
    </Block>
  );
}
