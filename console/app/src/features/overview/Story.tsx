// One lesson of the project in three panels: the failed run, the lesson, the later run that used it and passed.
import { Link } from "@tanstack/react-router";
import { ArrowRight, BookOpen, Check, type LucideIcon, X } from "lucide-react";
import type { ReactNode } from "react";
import { sampleText } from "../../parts/charts/rates";
import { shown } from "../../parts/reveal";
import { percent, Time } from "../../parts/time";
import { t } from "../../texts";
import { authorOf, exampleStory, type Story as Facts, type StoryRun } from "./story-query";

/** Without a story, an invented one is shown and labelled. */
export function Story(props: { project: string; story: Facts | null }) {
  const isExample = props.story === null;
  const story = props.story ?? exampleStory();
  const texts = t.overview.story;
  return (
    <section aria-labelledby="story" className="flex flex-col gap-2">
      <h2 id="story" className="section-title flex flex-wrap items-center gap-2">
        {isExample ? texts.exampleTitle : texts.title}
        {isExample ? (
          <span className="chip bg-warn-tint font-normal text-warn">{texts.exampleBadge}</span>
        ) : null}
      </h2>
      {isExample ? <p className="text-sm text-soft">{texts.aboutExample}</p> : null}
      <ol className="grid grid-cols-3 gap-x-2 gap-y-1 max-lg:grid-cols-1">
        <FailedPanel {...props} run={story.failed} />
        <LessonPanel {...props} lesson={story.lesson} />
        <PassedPanel {...props} run={story.passed} />
      </ol>
      <SimilarTasks before={story.before} after={story.after} />
    </section>
  );
}

type PanelProps = { project: string; story: Facts | null };

function FailedPanel(props: PanelProps & { run: StoryRun }) {
  return (
    <Panel
      title={t.overview.story.failed}
      Icon={X}
      tone="text-fail"
      link={props.story === null ? null : <RunLink {...props} />}
    >
      <Task run={props.run} />
      <blockquote className="rounded border-s-2 border-fail bg-fail-tint px-2 py-1">
        <Clamped text={props.run.line} />
      </blockquote>
    </Panel>
  );
}

function LessonPanel(props: PanelProps & { lesson: Facts["lesson"] }) {
  const { lesson, project } = props;
  const texts = t.overview.story;
  const author = authorOf(lesson.reviewer);
  return (
    <Panel
      title={texts.explained}
      Icon={BookOpen}
      tone="text-accent"
      link={
        props.story === null ? null : (
          <Link
            className="link"
            to="/p/$project/lessons/$lesson"
            params={{ project, lesson: lesson.lesson_id }}
          >
            {texts.openLesson}
          </Link>
        )
      }
    >
      <figure>
        <blockquote>
          <Clamped text={texts.quote(lesson.feedback)} />
        </blockquote>
        {author === null ? null : <figcaption className="text-sm text-soft">{author}</figcaption>}
      </figure>
      <div className="rounded border-s-2 border-accent bg-accent-tint px-2 py-1">
        <p className="text-xs text-soft">{texts.lesson}</p>
        <Clamped text={lesson.summary} />
      </div>
    </Panel>
  );
}

function PassedPanel(props: PanelProps & { run: StoryRun }) {
  return (
    <Panel
      title={t.overview.story.passed}
      Icon={Check}
      tone="text-pass"
      link={props.story === null ? null : <RunLink {...props} />}
    >
      <Task run={props.run} />
      <blockquote className="rounded border-s-2 border-pass bg-pass-tint px-2 py-1">
        <Clamped text={props.run.line} />
      </blockquote>
    </Panel>
  );
}

function Panel(props: {
  title: string;
  Icon: LucideIcon;
  tone: string;
  link: ReactNode;
  children: ReactNode;
}) {
  const { Icon } = props;
  return (
    <li className="group flex min-w-0 items-center gap-2 max-lg:flex-col max-lg:items-stretch max-lg:gap-1">
      <ArrowRight
        size={16}
        aria-hidden="true"
        className="shrink-0 text-soft group-first:hidden max-lg:rotate-90 max-lg:self-center"
      />
      <div className="card flex h-full min-w-0 flex-1 flex-col gap-2 p-3">
        <h3 className="flex items-center gap-1.5 font-semibold">
          <Icon size={15} aria-hidden="true" className={`shrink-0 ${props.tone}`} />
          {props.title}
        </h3>
        {props.children}
        {props.link === null ? null : <p className="mt-auto text-sm">{props.link}</p>}
      </div>
    </li>
  );
}

function Task({ run }: { run: StoryRun }) {
  return (
    <p className="line-clamp-2 text-soft" dir="auto">
      {shown(run.task)}
    </p>
  );
}

function Clamped({ text }: { text: string }) {
  return (
    <p className="line-clamp-4 break-words" dir="auto">
      {shown(text)}
    </p>
  );
}

function RunLink({ project, run }: { project: string; run: StoryRun }) {
  return (
    <>
      <Link
        className="link"
        to="/p/$project/traces/$trace"
        params={{ project, trace: run.trace_id }}
        search={run.step === null ? {} : { step: run.step }}
      >
        {t.overview.story.openRun}
      </Link>{" "}
      <span className="text-soft">
        <Time at={run.at} />
      </span>
    </>
  );
}

/** The pass rate of similar tasks. Everything else that changed has an effect on it too. */
function SimilarTasks({ before, after }: Pick<Facts, "before" | "after">) {
  if (before.reviewed === 0 || after.reviewed === 0) return null;
  const texts = t.overview.story;
  return (
    <p className="flex flex-wrap items-baseline gap-x-2">
      <span className="font-semibold">{texts.similarTasks}</span>
      <span>{texts.before(<Share {...before} />, <Sample {...before} />)}</span>
      <ArrowRight size={16} aria-hidden="true" className="self-center text-soft" />
      <span>{texts.after(<Share {...after} />, <Sample {...after} />)}</span>
    </p>
  );
}

/** A share of one or two runs would look more certain than it is. */
const LEAST_RUNS = 3;

function Share({ reviewed, passed }: Facts["before"]) {
  const share = reviewed < LEAST_RUNS ? t.overview.story.few(passed, reviewed) : percent(passed / reviewed);
  return <span className="metric">{share}</span>;
}

function Sample({ reviewed, passed }: Facts["before"]) {
  if (reviewed < LEAST_RUNS) return null;
  return <span className="text-sm text-soft">({sampleText(passed, reviewed)})</span>;
}
