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
import { LessonValue } from "../../parts/LessonValue";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { Scroll } from "../../parts/Scroll";
import { SourceBadge } from "../../parts/SourceBadge";
import { Empty, PageHead } from "../../shell/Page";
import { notify } from "../../parts/notifications";
import { t } from "../../texts";
import { SourceSheet } from "../memories/SourceSheet";
import { StatusChips } from "../memories/StatusChips";
import { useMemoryActions } from "../memories/useMemoryActions";
import { oneLine, pinVerb, presenceVerb, quarantineVerb } from "../memories/labels";
import { Block } from "./Block";
import { EditSheet } from "../memories/EditSheet";
import { EraseSheet } from "./EraseSheet";
import { History } from "./History";
import { memoryKeys } from "./keys";
import { LessonText } from "../memories/LessonText";
import { MergeSheet } from "../memories/MergeSheet";
import { nearestActive } from "../memories/nearest";
import { SimilarMemories } from "./SimilarMemories";
import { Provenance } from "./Provenance";
import { Removal } from "./Removal";
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
        <PageHead title={t.memory.title} />
        <Empty title={gone ? t.memory.doesNotExist : t.memory.notLoaded}>
          <p className="text-fail">{errorMessage(error)}</p>
          <Link className="btn" to="/p/$project/memories" params={{ project }}>
            {t.memory.all}
          </Link>
        </Empty>
      </>
    );
  }
  return memory === undefined ? (
    <PageHead title={t.memory.title} />
  ) : (
    <Loaded project={project} memory={memory} />
  );
}

function Loaded(props: { project: string; memory: MemoryDetail }) {
  const { project, memory } = props;
  const navigate = useNavigate();
  const actions = useMemoryActions(project);
  const client = useQueryClient();
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const living = memory.status === "active" || memory.status === "quarantined";
  const act = (verb: ReturnType<typeof presenceVerb>) => {
    if (verb === null) notify({ text: t.memories.notPossible(memory.status) });
    else void actions.verb(memory.id, verb);
  };
  const mergeNearest = async () => {
    const other = living ? await nearestActive(client, project, memory.id) : undefined;
    if (other === undefined) notify({ text: t.memory.noneToMerge });
    else setSheet({ merge: other });
  };
  useScreenKeys(memoryKeys(), {
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
  const title = oneLine(memory);
  const other = memory.merged_into;
  return (
    <>
      <PageHead
        title={shown(title)}
        about={
          <>
            <StatusChips memory={memory} /> <SourceBadge success={memory.success} />
          </>
        }
      >
        <Actions memory={memory} />
      </PageHead>
      <Scroll
        label={t.memory.title}
        className="grid min-h-0 flex-1 gap-x-8 gap-y-5 overflow-y-auto p-4 lg:grid-cols-[minmax(0,1fr)_22rem]"
      >
        <div className="flex min-w-0 flex-col gap-5">
          {other == null ? null : (
            <p className="rounded bg-sunken px-3 py-2">
              {t.memory.mergedInto((text) => (
                <Link className="link" to="/p/$project/memories/$memory" params={{ project, memory: other }}>
                  {text}
                </Link>
              ))}
            </p>
          )}
          {memory.superseded_by == null ? null : (
            <p className="rounded bg-sunken px-3 py-2">{t.memory.superseded}</p>
          )}
          <QuarantineNotice memory={memory} />
          <div className="card flex max-w-3xl flex-col gap-3 p-4">
            <section>
              <h2>{t.memories.task}</h2>
              <RunText text={memory.task} lines={12} words />
            </section>
            <LessonText lesson={memory} except={title} />
            <section className="flex flex-col gap-1">
              <h2>{t.memories.value}</h2>
              <LessonValue of={memory} />
            </section>
            <Link
              className="link self-start text-sm"
              to="/p/$project/lessons/$lesson"
              params={{ project, lesson: memory.lesson_id }}
            >
              {t.memory.openLesson}
            </Link>
          </div>
          <History project={project} memory={memory.id} />
          <Uses project={project} memory={memory} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <Provenance project={project} memory={memory} />
          <SimilarMemories
            project={project}
            memory={memory.id}
            onMerge={living ? (merge) => setSheet({ merge }) : null}
          />
          <Versions memory={memory} />
          <Block title={t.memory.metadata}>
            {Object.keys(memory.metadata).length === 0 ? (
              <p className="text-sm text-soft">{t.memory.noMetadata}</p>
            ) : (
              <JsonTree value={memory.metadata as Json} label={t.memory.metadata} levels={1} />
            )}
          </Block>
          <Removal memory={memory} />
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

/** The actions that are possible now; the same as by key and in the command palette. Those that remove are apart. */
function Actions(props: { memory: MemoryDetail }) {
  const { run } = useKeys();
  const { memory } = props;
  const living = memory.status === "active" || memory.status === "quarantined";
  const { verbs } = t.memories;
  const nameOf = (verb: keyof typeof verbs | null) => (verb === null ? null : verbs[verb]);
  const offered: [action: string, label: string | null, key?: string][] = [
    ["try", memory.status === "erased" ? null : t.memory.try, "t"],
    ["edit", memory.status === "erased" ? null : verbs.edit, "e"],
    ["disable", nameOf(presenceVerb(memory)), "d"],
    ["pin", nameOf(pinVerb(memory)), "p"],
    ["quarantine", nameOf(quarantineVerb(memory)), "q"],
    ["merge", living ? verbs.merge : null, "m"],
  ];
  return (
    <div className="flex flex-wrap justify-end gap-1.5">
      {offered.map(([action, label, key]) =>
        label === null ? null : (
          <button key={action} type="button" className="btn btn-small" onClick={() => run(action)}>
            {label} <Key name={key} />
          </button>
        ),
      )}
    </div>
  );
}
