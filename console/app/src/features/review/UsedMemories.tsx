// The memories that the run used, with their value and what a verdict changes.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memoryQuery } from "../../api/memories";
import type { DigestMemory } from "../../api/types";
import { LessonValue } from "../../parts/LessonValue";
import { shown } from "../../parts/reveal";
import { fixed } from "../../parts/time";
import { t } from "../../texts";
import { StatusChips } from "../memories/StatusChips";
import { memoryEffect } from "./memory-effect";

export function UsedMemories(props: { project: string; memories: readonly DigestMemory[] }) {
  return (
    <ul className="flex flex-col">
      {props.memories.map((memory) => (
        <UsedMemory key={memory.id} project={props.project} memory={memory} />
      ))}
    </ul>
  );
}

function UsedMemory(props: { project: string; memory: DigestMemory }) {
  const { data } = useQuery(memoryQuery(props.project, props.memory.id));
  const { now, afterPass, afterFail, n } = memoryEffect(props.memory, data);
  const texts = t.review.memories;
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-1 border-b border-line py-1.5">
      <div className="min-w-0 flex-1 basis-56">
        <Link
          className="wrap-anywhere hover:underline"
          to="/p/$project/memories/$memory"
          params={{ project: props.project, memory: props.memory.id }}
        >
          {shown(props.memory.summary)}
        </Link>
        {data === undefined ? null : (
          <>
            {data.status === "active" ? null : <StatusChips memory={{ ...data, flags: [] }} />}
            <p className="truncate text-sm text-soft">{shown(data.task)}</p>
          </>
        )}
        <div className="min-h-5">{data === undefined ? null : <LessonValue of={data} row />}</div>
      </div>
      <dl className="grid grid-cols-3 gap-x-4 text-end text-sm max-md:w-full md:shrink-0">
        <Figure name={texts.now}>{texts.value(fixed(now), n)}</Figure>
        <Figure name={texts.ifPass} tone="text-pass">
          {fixed(afterPass)}
        </Figure>
        <Figure name={texts.ifFail} tone="text-fail">
          {fixed(afterFail)}
        </Figure>
      </dl>
    </li>
  );
}

function Figure(props: { name: string; tone?: string; children: React.ReactNode }) {
  return (
    <div className="md:min-w-20">
      <dt className="text-xs text-soft">{props.name}</dt>
      <dd className={props.tone}>{props.children}</dd>
    </div>
  );
}
