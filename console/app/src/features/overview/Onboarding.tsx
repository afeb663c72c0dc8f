// The onboarding checklist. A step is checked off automatically when it is done.
import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Overview } from "../../api/types";
import { useScreenKeys } from "../../keys/KeyProvider";
import { Scroll } from "../../parts/Scroll";
import { OnboardingKey } from "./OnboardingKey";
import { MemoryStep, ReviewStep, RunStep, UseStep } from "./OnboardingSteps";
import { ONBOARDING_KEYS } from "./keys";
import { doneSteps, type ClientFacts, type Step, STEPS } from "./onboarding-progress";

type Props = {
  project: string;
  data: Overview;
  seen: ClientFacts;
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

export function Onboarding(props: Props) {
  const { data, project } = props;
  useScreenKeys(ONBOARDING_KEYS, { "dismiss-first": props.onDismiss });
  // Kept in the state of this page only.
  const [apiKey, setApiKey] = useState<string | null>(null);
  const done = doneSteps(data, props.seen);
  const now = STEPS.find((step) => !done.has(step));
  const bodies: Record<Step, ReactNode> = {
    key: <OnboardingKey project={project} apiKey={apiKey} done={done.has("key")} onKey={setApiKey} />,
    run: <RunStep project={project} apiKey={apiKey} data={data} done={done.has("run")} />,
    review: <ReviewStep project={project} data={data} done={done.has("review")} open={done.has("run")} />,
    memory: <MemoryStep project={project} data={data} />,
    use: <UseStep project={project} data={data} onOpen={props.onLookedAtUse} />,
  };
  return (
    <Scroll label="First memory" className="min-h-0 flex-1 overflow-y-auto p-4">
      <div className="mx-auto flex max-w-3xl flex-col gap-4">
        <p className="text-soft">
          An agent runs, a person reviews the result, Reflect saves a lesson, and the next run of a similar
          task receives it. This checklist leads through these steps once.
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
        <NextSteps project={project} />
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

const NEXT_STEPS = [
  ["project", "Hold out memories from 10% of the runs, to measure their effect"],
  ["judge", "Let a judge review the remaining runs"],
  ["members", "Invite a reviewer"],
] as const;

function NextSteps(props: { project: string }) {
  return (
    <section aria-labelledby="after" className="flex flex-col gap-1">
      <h2 id="after">Next steps</h2>
      <ul className="flex flex-col gap-0.5">
        <li>Send the outcome with each run if a test or an exit code determines it.</li>
        {NEXT_STEPS.map(([section, label]) => (
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
