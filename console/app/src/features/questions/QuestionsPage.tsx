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
import { Empty, PageHead } from "../../shell/Page";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { ValueWithCount } from "../memories/Credit";
import { useMemoryActions } from "../memories/useMemoryActions";
import { QUESTIONS_KEYS } from "./keys";
import { placeOf, type ShownQuestion } from "./shown-question";

const ANSWERS: readonly { answer: QuestionAnswer; key: string; label: string; done: string }[] = [
  { answer: "first", key: "1", label: "The first is right", done: "The second is no longer served." },
  { answer: "second", key: "2", label: "The second is right", done: "The first is no longer served." },
  { answer: "both", key: "b", label: "Both are right", done: "Both stay." },
  { answer: "same", key: "s", label: "They are the same", done: "They are one lesson now." },
];

export function QuestionsPage() {
  const { project } = useParams({ from: "/p/$project/questions" });
  const { data, error } = useQuery(questionsQuery(project));
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
      const text = `Answered. ${ANSWERS.find((one) => one.answer === given.answer)?.done ?? ""}`;
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
  useScreenKeys(QUESTIONS_KEYS, {
    first: answer("first"),
    second: answer("second"),
    both: answer("both"),
    same: answer("same"),
    // The answer that is being sent is not on the stack of changes yet.
    undo: () => !send.isPending && actions.undo(),
    next: () => show(at + 1),
    previous: () => show(at - 1),
  });
  const count = `${questions.length}${data?.more === true ? "+" : ""}`;
  return (
    <>
      <PageHead title="Questions" about={data === undefined ? "" : `${count} open`}>
        {questions.length > 1 ? (
          <>
            <button type="button" className="btn btn-small" disabled={at === 0} onClick={() => show(at - 1)}>
              Previous <Key name="k" />
            </button>
            <span className="text-sm text-soft" role="status">
              {at + 1} of {count}
            </span>
            <button
              type="button"
              className="btn btn-small"
              disabled={at === questions.length - 1}
              onClick={() => show(at + 1)}
            >
              Next <Key name="j" />
            </button>
          </>
        ) : null}
      </PageHead>
      {error === null ? null : <p className="p-4 text-fail">{errorMessage(error)}</p>}
      {data !== undefined && question === undefined ? (
        <Empty title="No open questions">
          <p>
            Sometimes two lessons give different advice for nearly the same task, and the results of their
            runs do not show which one is right. Then you are asked here.
          </p>
          <Link className="btn" to="/p/$project/memories" params={{ project }}>
            All lessons
          </Link>
        </Empty>
      ) : null}
      {question === undefined ? null : (
        <Scroll label="Question" className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
          <p className="max-w-prose">
            These two lessons give different advice for nearly the same task (similarity{" "}
            {question.similarity.toFixed(2)}). Which one is right?
          </p>
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
                  {one.label} <Key name={one.key} />
                </button>
              ))}
            </p>
          ) : (
            <PermissionNotice scope="memory:write" what="answer questions" />
          )}
          <p className="max-w-prose text-sm text-soft">
            If one is right, the other is no longer served for its task. If both are right, both stay. If they
            are the same, they become one lesson. Every answer can be undone.
          </p>
        </Scroll>
      )}
    </>
  );
}

function Sides(props: { project: string; question: LessonQuestion }) {
  const { project, question } = props;
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <Side key={question.first.memory_id} project={project} title="First" side={question.first} />
      <Side key={question.second.memory_id} project={project} title="Second" side={question.second} />
    </div>
  );
}

function Side(props: { project: string; title: string; side: LessonQuestionSide }) {
  const { project, title, side } = props;
  return (
    <section aria-label={title} className="card flex min-w-0 flex-col gap-3 p-4">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2>{title}</h2>
        <span className="text-sm text-soft">
          Credit <ValueWithCount value={side.credit} n={side.evidence} />
        </span>
        <Link
          className="link ms-auto text-sm"
          to="/p/$project/lessons/$lesson"
          params={{ project, lesson: side.lesson_id }}
        >
          Open the lesson<span className="sr-only"> ({title.toLowerCase()})</span>
        </Link>
      </div>
      <RunText text={side.reflection} lines={12} words />
      <div>
        <h3 className="text-xs font-semibold text-soft">Task</h3>
        <RunText text={side.task} lines={6} words />
      </div>
      {side.source_trace_id == null ? (
        <p className="text-sm text-soft">Not learned from a run.</p>
      ) : (
        <Run project={project} trace={side.source_trace_id} title={title} />
      )}
    </section>
  );
}

/** The run that a lesson was learned from. */
function Run(props: { project: string; trace: string; title: string }) {
  const { project, trace } = props;
  const { data, error } = useQuery(traceQuery(project, trace));
  return (
    <div className="flex flex-col gap-1">
      <h3 className="text-xs font-semibold text-soft">Run</h3>
      {error === null ? null : <p className="text-sm text-fail">{errorMessage(error)}</p>}
      <p className="flex flex-wrap items-center gap-2">
        {data === undefined ? null : <Outcome result={data.review?.result} />}
        <Link className="link text-sm" to="/p/$project/traces/$trace" params={{ project, trace }}>
          Open the run<span className="sr-only"> ({props.title.toLowerCase()})</span>
        </Link>
      </p>
      {data?.review?.feedback_text ? <RunText text={data.review.feedback_text} lines={6} words /> : null}
      {data?.final_response ? (
        <>
          <h3 className="text-xs font-semibold text-soft">Answer of the run</h3>
          <RunText text={data.final_response} lines={8} />
        </>
      ) : null}
    </div>
  );
}
