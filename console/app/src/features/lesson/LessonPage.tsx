// One lesson: its text, the situations that it holds for, and what changed it.
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, errorMessage } from "../../api/errors";
import {
  groupLessons,
  type Lesson,
  type LessonDetail,
  lessonQuery,
  moveMemory,
  splitLesson,
} from "../../api/lessons";
import { Key } from "../../keys/Key";
import { useKeys, useScreenKeys } from "../../keys/KeyProvider";
import { LessonValue } from "../../parts/LessonValue";
import { notify } from "../../parts/notifications";
import { shown } from "../../parts/reveal";
import { Scroll } from "../../parts/Scroll";
import { Time } from "../../parts/time";
import { Empty, PageHead } from "../../shell/Page";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { t } from "../../texts";
import { EditSheet } from "../memories/EditSheet";
import { oneLine } from "../memories/labels";
import { LessonText } from "../memories/LessonText";
import { type Selection, toggled } from "../memories/selection";
import { StatusChips } from "../memories/StatusChips";
import { useMemoryActions } from "../memories/useMemoryActions";
import { Block, Fact, Facts } from "../memory/Block";
import { Changes } from "./Changes";
import { lessonKeys } from "./keys";
import { MissingLesson } from "./MissingLesson";
import { PickLesson } from "./PickLesson";
import { canLeave, leaving, memoryToEdit } from "./situation-rules";
import { Situations } from "./Situations";

const ROUTE = "/p/$project/lessons/$lesson";

type Sheet = "edit" | "group" | { move: string };

export function LessonPage() {
  const { project, lesson: id } = useParams({ from: ROUTE });
  const { data: lesson, error } = useQuery(lessonQuery(project, id));
  if (error instanceof ApiError && error.status === 404)
    return <MissingLesson key={id} project={project} lesson={id} memory={lesson?.memories[0]?.id ?? id} />;
  if (error !== null && lesson === undefined) {
    return (
      <>
        <PageHead title={t.lesson.title} />
        <Empty title={t.lesson.notLoaded}>
          <p className="text-fail">{errorMessage(error)}</p>
          <Link className="btn" to="/p/$project/memories" params={{ project }}>
            {t.lesson.all}
          </Link>
        </Empty>
      </>
    );
  }
  if (lesson === undefined) return <PageHead title={t.lesson.title} />;
  // A different lesson has other situations, so the selection is cleared.
  return <Loaded key={id} project={project} lesson={lesson} />;
}

function Loaded(props: { project: string; lesson: LessonDetail }) {
  const { project, lesson } = props;
  const { lesson: texts } = t;
  const navigate = useNavigate();
  const actions = useMemoryActions(project);
  const canEdit = usePermission("memory:write");
  const [chosen, setChosen] = useState<Selection>(new Set());
  const selected = leaving(lesson.memories, chosen);
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const open = (other: string) =>
    void navigate({ to: "/p/$project/lessons/$lesson", params: { project, lesson: other } });
  const split = useMutation({
    mutationFn: (memories: readonly string[]) => splitLesson(project, lesson.id, memories),
    onSuccess: (done, memories) => {
      actions.reportDone(texts.done.split(memories.length), done, null, "lessons");
      setChosen(new Set());
      open(done.lesson.id);
    },
    onError: (thrown) => notify({ text: errorMessage(thrown), tone: "bad" }),
  });
  const group = useMutation({
    mutationFn: (other: Lesson) => groupLessons(project, lesson.id, [other.id]),
    onSuccess: (done) => {
      actions.reportDone(texts.done.group, done, null, "lessons");
      setSheet(null);
    },
  });
  const move = useMutation({
    mutationFn: (given: { memory: string; to: Lesson }) => moveMemory(project, given.memory, given.to.id),
    onSuccess: (done, { memory, to }) => {
      actions.reportDone(texts.done.move, done, null);
      setChosen(new Set());
      setSheet(null);
      // Without a situation there is no lesson. Merged ones follow.
      if (lesson.memories.every((one) => one.id === memory || !canLeave(one))) open(to.id);
    },
  });
  const edited = memoryToEdit(lesson.speaker_id, lesson.memories);
  const toEdit = () => {
    if (edited === undefined) notify({ text: texts.notEditable });
    else setSheet("edit");
  };
  const toSplit = () => {
    if (selected.size === 0) notify({ text: texts.selectToSplit });
    else if (!split.isPending) split.mutate([...selected]);
  };
  const toMove = () => {
    const [memory, another] = [...selected];
    if (memory === undefined || another !== undefined) notify({ text: texts.selectToMove });
    else setSheet({ move: memory });
  };
  useScreenKeys(lessonKeys(), {
    edit: () => canEdit && toEdit(),
    group: () => canEdit && setSheet("group"),
    split: () => canEdit && toSplit(),
    move: () => canEdit && toMove(),
    undo: actions.undo,
    list: () => void navigate({ to: "/p/$project/memories", params: { project } }),
  });
  const close = () => setSheet(null);
  const title = oneLine(lesson);
  return (
    <>
      <PageHead title={shown(title)} about={<StatusChips memory={lesson} />}>
        {canEdit ? <Actions edit={edited !== undefined} /> : null}
      </PageHead>
      <Scroll
        label={texts.title}
        className="grid min-h-0 flex-1 content-start gap-x-8 gap-y-5 overflow-y-auto p-4 lg:grid-cols-[minmax(0,1fr)_22rem]"
      >
        <div className="flex min-w-0 flex-col gap-5">
          {canEdit ? null : <PermissionNotice scope="memory:write" what={texts.permission} />}
          <div className="card flex max-w-3xl flex-col gap-3 p-4">
            <LessonText lesson={lesson} except={title} />
            <section className="flex flex-col gap-1">
              <h2>{texts.value}</h2>
              <LessonValue of={lesson} />
            </section>
          </div>
          <Situations
            project={project}
            lesson={lesson}
            selected={selected}
            onSelect={canEdit ? (id) => setChosen((now) => toggled(now, id)) : null}
            onSplit={toSplit}
            onMove={toMove}
          />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <About lesson={lesson} />
          <Changes project={project} lesson={lesson} canUndo={canEdit} />
        </div>
      </Scroll>
      {sheet === "edit" && edited !== undefined ? (
        <EditSheet project={project} memory={edited} onClose={close} />
      ) : null}
      {sheet === "group" ? (
        <PickLesson
          project={project}
          except={lesson.id}
          texts={texts.group}
          busy={group.isPending}
          error={group.error}
          onPick={(other) => group.mutate(other)}
          onClose={close}
        />
      ) : null}
      {typeof sheet === "object" && sheet !== null ? (
        <PickLesson
          project={project}
          except={lesson.id}
          texts={texts.move}
          busy={move.isPending}
          error={move.error}
          onPick={(to) => move.mutate({ memory: sheet.move, to })}
          onClose={close}
        />
      ) : null}
    </>
  );
}

function Actions(props: { edit: boolean }) {
  const { run } = useKeys();
  return (
    <div className="flex flex-wrap justify-end gap-1.5">
      {props.edit ? (
        <button type="button" className="btn btn-small" onClick={() => run("edit")}>
          {t.lesson.edit} <Key name="e" />
        </button>
      ) : null}
      <button type="button" className="btn btn-small" onClick={() => run("group")}>
        {t.lesson.group.action} <Key name="m" />
      </button>
    </div>
  );
}

function About(props: { lesson: Lesson }) {
  const { lesson } = props;
  const { about: texts } = t.lesson;
  return (
    <Block title={texts.title}>
      <Facts>
        <Fact name={texts.situations}>
          {texts.situationsText(lesson.situations, lesson.superseded, lesson.absorbed)}
        </Fact>
        <Fact name={texts.learnedFrom}>{texts.runs(lesson.runs, lesson.passed_runs)}</Fact>
        <Fact name={texts.lastUsed}>{lesson.last_used ?? texts.never}</Fact>
        <Fact name={texts.version}>{lesson.version}</Fact>
        <Fact name={texts.created}>
          <Time at={lesson.created_at} />
        </Fact>
        <Fact name={texts.id}>
          <code className="text-xs">{lesson.id}</code>
        </Fact>
      </Facts>
    </Block>
  );
}
