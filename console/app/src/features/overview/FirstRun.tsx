// The first round of the loop, step by step. Each step ticks itself off when it has happened.
import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Overview } from "../../api/types";
import { Key } from "../../keys/Key";
import { useScreenKeys } from "../../keys/KeyProvider";
import { Snippet } from "../../parts/Snippet";
import { shown } from "../../parts/reveal";
import { Scroll } from "../../parts/Scroll";
import { Time } from "../../parts/time";
import { FirstKey } from "./FirstKey";
import { FIRST_KEYS } from "./keys";
import { doneSteps, type Seen, type Step, STEPS } from "./firstRun";

type Props = {
  project: string;
  data: Overview;
  seen: Seen;
  onLookedAtUse: () => void;
  onDismiss: () => void;
};

const TITLES: Record<Step, string> = {
  key: "Get a key",
  run: "Store a run",
  review: "Review it",
  memory: "The first memory",
  use: "See it being used",
};

export function FirstRun(props: Props) {
  const { data, project } = props;
  useScreenKeys(FIRST_KEYS, { "dismiss-first": props.onDismiss });
  // Kept by this page alone, and gone with it.
  const [apiKey, setApiKey] = useState<string | null>(null);
  const done = doneSteps(data, props.seen);
  const now = STEPS.find((step) => !done.has(step));
  const bodies: Record<Step, ReactNode> = {
    key: <FirstKey project={project} apiKey={apiKey} done={done.has("key")} onKey={setApiKey} />,
    run: <Run project={project} apiKey={apiKey} data={data} done={done.has("run")} />,
    review: <Review project={project} data={data} done={done.has("review")} open={done.has("run")} />,
    memory: <Memory project={project} data={data} />,
    use: <Use project={project} data={data} onLook={props.onLookedAtUse} />,
  };
  return (
    <Scroll label="First memory" className="min-h-0 flex-1 overflow-y-auto p-4">
      <div className="mx-auto flex max-w-3xl flex-col gap-4">
        <p className="text-soft">
          An agent runs, somebody says whether it was right, a lesson is kept, and the next run of a similar
          task is given it. This list goes round once and is then gone.
        </p>
        <ol className="flex flex-col gap-2">
          {STEPS.map((step, at) => (
            <li
              key={step}
              aria-current={step === now ? "step" : undefined}
              className={`card flex gap-3 p-3 ${step === now ? "border-accent" : ""}`}
            >
              <Mark n={at + 1} done={done.has(step)} now={step === now} />
              <div className="flex min-w-0 flex-1 flex-col gap-2">
                <h2 className="text-base font-semibold text-ink">
                  {TITLES[step]}
                  {done.has(step) ? <span className="sr-only"> (done)</span> : null}
                </h2>
                {bodies[step]}
              </div>
            </li>
          ))}
        </ol>
        <After project={project} />
      </div>
    </Scroll>
  );
}

function Mark(props: { n: number; done: boolean; now: boolean }) {
  const tone = props.done ? "bg-pass-tint text-pass" : props.now ? "bg-accent text-on-accent" : "bg-sunken";
  return (
    <span
      aria-hidden="true"
      className={`flex h-6 w-6 shrink-0 items-center justify-center rounded-full text-sm ${tone}`}
    >
      {props.done ? <Check size={14} /> : props.n}
    </span>
  );
}

function Run(props: { project: string; apiKey: string | null; data: Overview; done: boolean }) {
  const newest = props.data.reviews.oldest_pending;
  // Whoever comes back does not need it any more; nobody's program is folded away under their eyes.
  const [folded] = useState(props.done);
  const program = (
    <>
      <p>Paste this into a file and run it, or put the few lines around your own agent.</p>
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
          newest == null ? (
            `${props.data.reviews.runs} ${props.data.reviews.runs === 1 ? "run was" : "runs were"} stored.`
          ) : (
            <>
              A run was stored <Time at={newest.created_at} />.
            </>
          )
        ) : (
          "Waiting for the first run. It shows here when it arrives."
        )}
      </p>
    </>
  );
}

function Review(props: { project: string; data: Overview; done: boolean; open: boolean }) {
  if (props.done) {
    return <p className="text-soft">{props.data.reviews.reviewed.toLocaleString()} reviewed.</p>;
  }
  return (
    <>
      <p>
        Was it right? <Key name="y" /> pass, <Key name="n" /> fail and one line of what was wrong. “Ask for a
        photo before you refund” teaches, “wrong” does not.
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

function Memory(props: { project: string; data: Overview }) {
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
          Learning was given up: {shown(failure.error ?? "no reason was noted.")}{" "}
          <Link
            className="link"
            to="/p/$project/traces/$trace"
            params={{ project: props.project, trace: failure.trace_id }}
          >
            Open the run to try again
          </Link>
        </p>
      ) : queued > 0 ? (
        <p>The lesson is being written. After a verdict you have 15 seconds to take it back.</p>
      ) : (
        <p className="text-soft">A lesson is written of every reviewed run. It shows here.</p>
      )}
    </div>
  );
}

function Use(props: { project: string; data: Overview; onLook: () => void }) {
  const [memory] = props.data.newest_memories;
  if (memory === undefined) {
    return <p className="text-soft">The next run of a similar task is given the memory by itself.</p>;
  }
  return (
    <>
      <p>See what an agent is given for a task like the first one. Or run the program again.</p>
      <p>
        <Link
          className="btn btn-primary"
          to={"/p/$project/retrieve" as "/p/$project"}
          params={{ project: props.project }}
          search={{ task: memory.task } as never}
          onClick={props.onLook}
        >
          See it being used
        </Link>
      </p>
    </>
  );
}

const LATER = [
  ["project", "Hold memories back from a tenth of the runs, to measure what they do"],
  ["judge", "Let a judge review what nobody reviews"],
  ["members", "Let a reviewer in"],
] as const;

function After(props: { project: string }) {
  return (
    <section aria-labelledby="after" className="flex flex-col gap-1">
      <h2 id="after">After that</h2>
      <ul className="flex flex-col gap-0.5">
        <li>Send the outcome along with each run where a test or an exit code knows it.</li>
        {LATER.map(([section, label]) => (
          <li key={section}>
            <Link
              className="link"
              to={`/p/$project/settings/${section}` as "/p/$project"}
              params={{ project: props.project }}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
