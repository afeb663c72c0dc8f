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
import { notify } from "../../parts/notifications";
import { shown } from "../../parts/reveal";
import { Scroll } from "../../parts/Scroll";
import { counted, Time } from "../../parts/time";
import { Empty, PageHead } from "../../shell/Page";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { EditSheet } from "../memories/EditSheet";
import { creditRange, oneLine } from "../memories/labels";
import { LessonText } from "../memories/LessonText";
import { type Selection, toggled } from "../memories/selection";
import { StatusChips } from "../memories/StatusChips";
import { useMemoryActions } from "../memories/useMemoryActions";
import { Block, Fact, Facts } from "../memory/Block";
import { Changes } from "./Changes";
import { LESSON_KEYS } from "./keys";
import { PickLesson } from "./PickLesson";
import { canLeave, leaving, memoryToEdit } from "./situation-rules";
import { Situations } from "./Situations";

const ROUTE = "/p/$project/lessons/$lesson";

type Sheet = "edit" | "group" | { move: string };

export function LessonPage() {
  const { project, lesson: id } = useParams({ from: ROUTE });
  const { data: lesson, error } = useQuery(lessonQuery(project, id));
  // A split that is undone ends its lesson while it is shown.
  const gone = error instanceof ApiError && error.status === 404;
  if (error !== null && (gone || lesson === undefined)) {
    return (
      <>
        <PageHead title="Lesson" />
        <Empty title={gone ? "This lesson does not exist" : "The lesson could not be loaded"}>
          <p className="text-fail">{errorMessage(error)}</p>
          {gone ? <p>Its situations may be part of another lesson now.</p> : null}
          <Link className="btn" to="/p/$project/memories" params={{ project }}>
            All lessons
          </Link>
        </Empty>
      </>
    );
  }
  if (lesson === undefined) return <PageHead title="Lesson" />;
  // A different lesson has other situations, so the selection is cleared.
  return <Loaded key={id} project={project} lesson={lesson} />;
}

function Loaded(props: { project: string; lesson: LessonDetail }) {
  const { project, lesson } = props;
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
      const text = `Split ${counted(memories.length, "situation", "situations")} off.`;
      actions.reportDone(text, done, null, "lessons");
      setChosen(new Set());
      open(done.lesson.id);
    },
    onError: (thrown) => notify({ text: errorMessage(thrown), tone: "bad" }),
  });
  const group = useMutation({
    mutationFn: (other: Lesson) => groupLessons(project, lesson.id, [other.id]),
    onSuccess: (done) => {
      actions.reportDone("Grouped with the other lesson.", done, null, "lessons");
      setSheet(null);
    },
  });
  const move = useMutation({
    mutationFn: (given: { memory: string; to: Lesson }) => moveMemory(project, given.memory, given.to.id),
    onSuccess: (done, { memory, to }) => {
      actions.reportDone("Moved the situation.", done, null);
      setChosen(new Set());
      setSheet(null);
      // Without a situation there is no lesson. Merged ones follow.
      if (lesson.memories.every((one) => one.id === memory || !canLeave(one))) open(to.id);
    },
  });
  const edited = memoryToEdit(lesson.speaker_id, lesson.memories);
  const toEdit = () => {
    if (edited === undefined) notify({ text: "No situation of this lesson can be edited." });
    else setSheet("edit");
  };
  const toSplit = () => {
    if (selected.size === 0) notify({ text: "Select the situations to split off." });
    else if (!split.isPending) split.mutate([...selected]);
  };
  const toMove = () => {
    const [memory, another] = [...selected];
    if (memory === undefined || another !== undefined) notify({ text: "Select one situation to move." });
    else setSheet({ move: memory });
  };
  useScreenKeys(LESSON_KEYS, {
    edit: () => canEdit && toEdit(),
    group: () => canEdit && setSheet("group"),
    split: () => canEdit && toSplit(),
    move: () => canEdit && toMove(),
    undo: actions.undo,
    list: () => void navigate({ to: "/p/$project/memories", params: { project } }),
  });
  const close = () => setSheet(null);
  return (
    <>
      <PageHead title={shown(oneLine(lesson))} about={<StatusChips memory={lesson} />}>
        {canEdit ? <Actions edit={edited !== undefined} /> : null}
      </PageHead>
      <Scroll
        label="Lesson"
        className="grid min-h-0 flex-1 content-start gap-x-8 gap-y-5 overflow-y-auto p-4 lg:grid-cols-[minmax(0,1fr)_22rem]"
      >
        <div className="flex min-w-0 flex-col gap-5">
          {canEdit ? null : <PermissionNotice scope="memory:write" what="change lessons" />}
          <div className="card flex max-w-3xl flex-col gap-3 p-4">
            <LessonText lesson={lesson} />
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
          <Numbers lesson={lesson} />
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
          title="Group with another lesson"
          about="Choose a lesson that gives the same advice. Its situations then have the text of this lesson, and each keeps its credit. This can be undone."
          action="Group"
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
          title="Move the situation"
          about="Choose the lesson that it belongs to. The situation keeps its credit. This can be undone."
          action="Move"
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
          Edit <Key name="e" />
        </button>
      ) : null}
      <button type="button" className="btn btn-small" onClick={() => run("group")}>
        Group <Key name="m" />
      </button>
    </div>
  );
}

function Numbers(props: { lesson: Lesson }) {
  const { lesson } = props;
  return (
    <Block title="Evidence">
      <Facts>
        <Fact name="Situations">
          {lesson.situations.toLocaleString()} in use
          {lesson.superseded > 0 ? `, ${lesson.superseded.toLocaleString()} superseded` : ""}
          {lesson.absorbed > 0 ? `, ${lesson.absorbed.toLocaleString()} merged` : ""}
        </Fact>
        <Fact name="Runs">
          {lesson.passed_runs.toLocaleString()} of {lesson.runs.toLocaleString()} passed
        </Fact>
        <Fact name="Credit">{creditRange(lesson.credit_range)}</Fact>
        <Fact name="Uses">
          {lesson.reviews === 0
            ? "no reviewed run used it"
            : `${lesson.passes.toLocaleString()} of ${lesson.reviews.toLocaleString()} runs passed`}
        </Fact>
        <Fact name="Last used">{lesson.last_used ?? "never"}</Fact>
        <Fact name="Version">{lesson.version}</Fact>
        <Fact name="Created">
          <Time at={lesson.created_at} />
        </Fact>
        <Fact name="Id">
          <code className="text-xs">{lesson.id}</code>
        </Fact>
      </Facts>
    </Block>
  );
}
