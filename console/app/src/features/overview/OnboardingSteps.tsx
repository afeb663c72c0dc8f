// The content of each onboarding step.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Overview } from "../../api/types";
import { Key } from "../../keys/Key";
import { Snippet } from "../../parts/Snippet";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";

export function RunStep(props: { project: string; apiKey: string | null; data: Overview; done: boolean }) {
  const waiting = props.data.reviews.oldest_pending;
  // Collapsed only if the step was done when the page opened. The program must not collapse while the user
  // works with it.
  const [folded] = useState(props.done);
  const program = (
    <>
      <p>Paste this into a file and run it, or add these lines to your own agent.</p>
      <Snippet project={props.project} apiKey={props.apiKey} />
    </>
  );
  return (
    <>
      {folded ? (
        <details>
          <summary className="text-soft">The program</summary>
          <div className="flex flex-col gap-2 pt-2">{program}</div>
        </details>
      ) : (
        program
      )}
      <p role="status" className="rounded bg-sunken px-3 py-2">
        {props.done ? (
          waiting == null ? (
            `${props.data.reviews.runs} ${props.data.reviews.runs === 1 ? "run was" : "runs were"} stored.`
          ) : (
            <>
              A run was stored <Time at={waiting.created_at} />.
            </>
          )
        ) : (
          "Waiting for the first run. It appears here when it arrives."
        )}
      </p>
    </>
  );
}

export function ReviewStep(props: { project: string; data: Overview; done: boolean; open: boolean }) {
  if (props.done) {
    return <p className="text-soft">{props.data.reviews.reviewed.toLocaleString()} reviewed.</p>;
  }
  return (
    <>
      <p>
        Was it correct? <Key name="y" /> pass, <Key name="n" /> fail, with one line about what was wrong. “Ask
        for a photo before you refund” is a good lesson, “wrong” is not.
      </p>
      {props.open ? (
        <p>
          <Link
            className="btn btn-primary"
            to="/p/$project/review"
            params={{ project: props.project }}
            search={{}}
          >
            Review the run
          </Link>
        </p>
      ) : null}
    </>
  );
}

export function MemoryStep(props: { project: string; data: Overview }) {
  const [memory] = props.data.newest_memories;
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
          Learning failed: {shown(failure.error ?? "no reason was recorded.")}{" "}
          <Link
            className="link"
            to="/p/$project/traces/$trace"
            params={{ project: props.project, trace: failure.trace_id }}
          >
            Open the run to retry
          </Link>
        </p>
      ) : queued > 0 ? (
        <p>The lesson is being written. After a verdict you have 15 seconds to undo it.</p>
      ) : (
        <p className="text-soft">Every reviewed run creates a lesson. It appears here.</p>
      )}
    </div>
  );
}

export function UseStep(props: { project: string; data: Overview; onOpen: () => void }) {
  const [memory] = props.data.newest_memories;
  if (memory === undefined) {
    return <p className="text-soft">The next run of a similar task receives the memory automatically.</p>;
  }
  return (
    <>
      <p>See what an agent receives for a similar task, or run the program again.</p>
      <p>
        <Link
          className="btn btn-primary"
          to={"/p/$project/retrieve" as "/p/$project"}
          params={{ project: props.project }}
          search={{ task: memory.task } as never}
          onClick={props.onOpen}
        >
          See it being used
        </Link>
      </p>
    </>
  );
}
