// The onboarding checklist. A step is checked off automatically when it is done.
import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Overview } from "../../api/types";
import { useScreenKeys } from "../../keys/KeyProvider";
import { Scroll } from "../../parts/Scroll";
import { t } from "../../texts";
import { OnboardingKey } from "./OnboardingKey";
import { MemoryStep, ReviewStep, RunStep, UseStep } from "./OnboardingSteps";
import { onboardingKeys } from "./keys";
import { Story } from "./Story";
import { doneSteps, type ClientFacts, type Step, STEPS } from "./onboarding-progress";

type Props = {
  project: string;
  data: Overview;
  seen: ClientFacts;
  onLookedAtUse: () => void;
  onDismiss: () => void;
};

export function Onboarding(props: Props) {
  const { data, project } = props;
  const texts = t.overview.onboarding;
  useScreenKeys(onboardingKeys(), { "dismiss-first": props.onDismiss });
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
    <Scroll label={texts.label} className="min-h-0 flex-1 overflow-y-auto p-4">
      <div className="mx-auto flex max-w-3xl flex-col gap-4">
        <p>{texts.intro}</p>
        <ol className="flex flex-col gap-2">
          {STEPS.map((step, at) => (
            <li
              key={step}
              aria-current={step === now ? "step" : undefined}
              className={`card flex gap-3 p-3 ${step === now ? "border-accent" : ""}`}
            >
              <Mark n={at + 1} done={done.has(step)} now={step === now} />
              <div className="flex min-w-0 flex-1 flex-col gap-2">
                <h2 className="section-title">
                  {texts.titles[step]}
                  {done.has(step) ? <span className="sr-only"> {texts.done}</span> : null}
                </h2>
                {bodies[step]}
              </div>
            </li>
          ))}
        </ol>
        <NextSteps project={project} />
        <Story project={project} story={null} />
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

function NextSteps(props: { project: string }) {
  const texts = t.overview.onboarding.next;
  const sections = [
    ["project", texts.holdout],
    ["judge", texts.judge],
    ["members", texts.invite],
  ] as const;
  return (
    <section aria-labelledby="after" className="flex flex-col gap-1">
      <h2 id="after" className="section-title">
        {texts.title}
      </h2>
      <ul className="flex flex-col gap-0.5 max-md:gap-3">
        <li>{texts.sendResult}</li>
        {sections.map(([section, label]) => (
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
