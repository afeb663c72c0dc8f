// Two lessons that contradict each other, if their results do not show which one is right: a person decides.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { errorMessage } from "../../api/errors";
import {
  answerQuestion,
  type LessonQuestion,
  type LessonQuestionSide,
  type QuestionAnswer,
  questionsQuery,
} from "../../api/lessons";
import { traceQuery } from "../../api/queries";
import { Key } from "../../keys/Key";
import { useScreenKeys } from "../../keys/KeyProvider";
import { notify } from "../../parts/notifications";
import { Outcome } from "../../parts/Outcome";
import { RunText } from "../../parts/RunText";
import { Scroll } from "../../parts/Scroll";
import { atLeast, fixed } from "../../parts/time";
import { Empty, PageHead } from "../../shell/Page";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { t, type Texts } from "../../texts";
import { MemoryValue } from "../memories/MemoryValue";
import { useMemoryActions } from "../memories/useMemoryActions";
import { questionsKeys } from "./keys";
import { placeOf, type ShownQuestion } from "./shown-question";

const ANSWERS: readonly { answer: QuestionAnswer; key: string }[] = [
  { answer: "first", key: "1" },
  { answer: "second", key: "2" },
  { answer: "both", key: "b" },
  { answer: "same", key: "s" },
];

export function QuestionsPage() {
  const { project } = useParams({ from: "/p/$project/questions" });
  const { data, error } = useQuery(questionsQuery(project));
  const { questions: texts } = t;
  const client = useQueryClient();
  const actions = useMemoryActions(project);
  const canAnswer = usePermission("memory:write");
  const [shown, setShown] = useState<ShownQuestion>({ id: undefined, place: 0 });
  const questions = data?.questions ?? [];
  const ids = questions.map((one) => one.id);
  const at = placeOf(ids, shown);
  const question = questions[at];
  if (question !== undefined && (question.id !== shown.id || at !== shown.place))
    setShown({ id: question.id, place: at });
  const show = (place: number) => {
    const id = ids[place];
    if (id !== undefined) setShown({ id, place });
  };
  const send = useMutation({
    mutationFn: (given: { question: string; answer: QuestionAnswer }) =>
      answerQuestion(project, given.question, given.answer),
    onSuccess: async (done, given) => {
      const text = texts.answers[given.answer].done;
      if (done.action_id == null) notify({ text });
      else actions.reportDone(text, done, null, "lesson-questions");
      await client.invalidateQueries({ queryKey: [project, "lesson-questions"] });
    },
    onError: (thrown) => notify({ text: errorMessage(thrown), tone: "bad" }),
  });
  const answer = (given: QuestionAnswer) => () => {
    if (canAnswer && question !== undefined && !send.isPending)
      send.mutate({ question: question.id, answer: given });
  };
  useScreenKeys(questionsKeys(), {
    first: answer("first"),
    second: answer("second"),
    both: answer("both"),
    same: answer("same"),
    // The answer that is being sent is not on the stack of changes yet.
    undo: () => !send.isPending && actions.undo(),
    next: () => show(at + 1),
    previous: () => show(at - 1),
  });
  const count = atLeast(questions.length, data?.more === true);
  return (
    <>
      <PageHead title={texts.title} about={data === undefined ? "" : texts.open(count)}>
        {questions.length > 1 ? (
          <>
            <button type="button" className="btn btn-small" disabled={at === 0} onClick={() => show(at - 1)}>
              {texts.previous} <Key name="k" />
            </button>
            <span className="text-sm text-soft" role="status">
              {texts.place(at + 1, count)}
            </span>
            <button
              type="button"
              className="btn btn-small"
              disabled={at === questions.length - 1}
              onClick={() => show(at + 1)}
            >
              {texts.next} <Key name="j" />
            </button>
          </>
        ) : null}
      </PageHead>
      {error === null ? null : <p className="p-4 text-fail">{errorMessage(error)}</p>}
      {data !== undefined && question === undefined ? (
        <Empty title={texts.empty.title}>
          <p>{texts.empty.about}</p>
          <Link className="btn" to="/p/$project/memories" params={{ project }}>
            {texts.empty.lessons}
          </Link>
        </Empty>
      ) : null}
      {question === undefined ? null : (
        <Scroll label={texts.question} className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
          <p className="max-w-prose">{texts.ask(fixed(question.similarity))}</p>
          <Sides project={project} question={question} />
          {canAnswer ? (
            <p className="flex flex-wrap gap-2">
              {ANSWERS.map((one) => (
                <button
                  key={one.answer}
                  type="button"
                  className="btn"
                  disabled={send.isPending}
                  onClick={answer(one.answer)}
                >
                  {texts.answers[one.answer].label} <Key name={one.key} />
                </button>
              ))}
            </p>
          ) : (
            <PermissionNotice scope="memory:write" what={texts.permission} />
          )}
          <p className="max-w-prose text-sm text-soft">{texts.about}</p>
        </Scroll>
      )}
    </>
  );
}

type Which = keyof Texts["questions"]["sides"];

function Sides(props: { project: string; question: LessonQuestion }) {
  const { project, question } = props;
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <Side key={question.first.memory_id} project={project} which="first" side={question.first} />
      <Side key={question.second.memory_id} project={project} which="second" side={question.second} />
    </div>
  );
}

function Side(props: { project: string; which: Which; side: LessonQuestionSide }) {
  const { project, which, side } = props;
  const { questions: texts } = t;
  const title = texts.sides[which];
  return (
    <section aria-label={title} className="card flex min-w-0 flex-col gap-3 p-4">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2>{title}</h2>
        <Link
          className="link ms-auto text-sm"
          to="/p/$project/lessons/$lesson"
          params={{ project, lesson: side.lesson_id }}
        >
          {texts.openLesson(which)}
        </Link>
      </div>
      <RunText text={side.reflection} lines={12} words />
      <MemoryValue project={project} id={side.memory_id} />
      <div>
        <h3 className="text-xs font-semibold text-soft">{texts.task}</h3>
        <RunText text={side.task} lines={6} words />
      </div>
      {side.source_trace_id == null ? (
        <p className="text-sm text-soft">{texts.noRun}</p>
      ) : (
        <Run project={project} trace={side.source_trace_id} which={which} />
      )}
    </section>
  );
}

/** The run that a lesson was learned from. */
function Run(props: { project: string; trace: string; which: Which }) {
  const { project, trace } = props;
  const { questions: texts } = t;
  const { data, error } = useQuery(traceQuery(project, trace));
  return (
    <div className="flex flex-col gap-1">
      <h3 className="text-xs font-semibold text-soft">{texts.run}</h3>
      {error === null ? null : <p className="text-sm text-fail">{errorMessage(error)}</p>}
      <p className="flex flex-wrap items-center gap-2">
        {data === undefined ? null : <Outcome result={data.review?.result} />}
        <Link className="link text-sm" to="/p/$project/traces/$trace" params={{ project, trace }}>
          {texts.openRun(props.which)}
        </Link>
      </p>
      {data?.review?.feedback_text ? <RunText text={data.review.feedback_text} lines={6} words /> : null}
      {data?.final_response ? (
        <>
          <h3 className="text-xs font-semibold text-soft">{texts.answerOfRun}</h3>
          <RunText text={data.final_response} lines={8} />
        </>
      ) : null}
    </div>
  );
}
