// The content of each onboarding step.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Overview } from "../../api/types";
import { Key } from "../../keys/Key";
import { Snippet } from "../../parts/Snippet";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { t } from "../../texts";

export function RunStep(props: { project: string; apiKey: string | null; data: Overview; done: boolean }) {
  const texts = t.overview.onboarding.run;
  const waiting = props.data.reviews.oldest_pending;
  // Collapsed only if the step was done when the page opened. The program must not collapse while the user
  // works with it.
  const [folded] = useState(props.done);
  const program = (
    <>
      <p>{texts.instruction}</p>
      <Snippet project={props.project} apiKey={props.apiKey} />
    </>
  );
  return (
    <>
      {folded ? (
        <details>
          <summary className="text-soft">{texts.program}</summary>
          <div className="flex flex-col gap-2 pt-2">{program}</div>
        </details>
      ) : (
        program
      )}
      <p role="status" className="rounded bg-sunken px-3 py-2">
        {!props.done
          ? texts.waiting
          : waiting == null
            ? texts.stored(props.data.reviews.runs)
            : texts.storedAt(<Time at={waiting.created_at} />)}
      </p>
    </>
  );
}

export function ReviewStep(props: { project: string; data: Overview; done: boolean; open: boolean }) {
  const texts = t.overview.onboarding.review;
  if (props.done) return <p className="text-soft">{texts.reviewed(props.data.reviews.reviewed)}</p>;
  return (
    <>
      <p>{texts.instruction(<Key name="y" />, <Key name="n" />)}</p>
      {props.open ? (
        <p>
          <Link
            className="btn btn-primary"
            to="/p/$project/review"
            params={{ project: props.project }}
            search={{}}
          >
            {texts.open}
          </Link>
        </p>
      ) : null}
    </>
  );
}

export function MemoryStep(props: { project: string; data: Overview }) {
  const [memory] = props.data.newest_memories;
  const texts = t.overview.onboarding.memory;
  const { queued } = props.data.reflections;
  const [failure] = props.data.failures;
  return (
    <div role="status">
      {memory !== undefined ? (
        <p dir="auto" className="rounded bg-pass-tint px-3 py-2">
          {shown(memory.summary || memory.task)}
        </p>
      ) : failure !== undefined ? (
        <p className="text-fail">
          {texts.failed(failure.error == null ? null : shown(failure.error))}{" "}
          <Link
            className="link"
            to="/p/$project/traces/$trace"
            params={{ project: props.project, trace: failure.trace_id }}
          >
            {texts.retry}
          </Link>
        </p>
      ) : queued > 0 ? (
        <p>{texts.queued}</p>
      ) : (
        <p className="text-soft">{texts.about}</p>
      )}
    </div>
  );
}

export function UseStep(props: { project: string; data: Overview; onOpen: () => void }) {
  const [memory] = props.data.newest_memories;
  const texts = t.overview.onboarding.use;
  if (memory === undefined) return <p className="text-soft">{texts.about}</p>;
  return (
    <>
      <p>{texts.instruction}</p>
      <p>
        <Link
          className="btn btn-primary"
          to={"/p/$project/retrieve" as "/p/$project"}
          params={{ project: props.project }}
          search={{ task: memory.task } as never}
          onClick={props.onOpen}
        >
          {texts.open}
        </Link>
      </p>
    </>
  );
}
