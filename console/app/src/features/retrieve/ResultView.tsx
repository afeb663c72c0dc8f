// The result of a retrieval: candidates, excluded candidates, and the text for the prompt.
import type { ReactNode } from "react";
import { RunText } from "../../parts/RunText";
import { fixed } from "../../parts/time";
import { t } from "../../texts";
import { Candidates } from "./Candidates";
import { pythonCode } from "./python-code";
import { type RetrievalResult, candidatesOf, closest, parameter, tokensOf } from "./retrieval";
import { justBelow, type Settings, DEFAULTS } from "./settings";
import { base } from "../../api/base";
import { Key } from "../../keys/Key";
import { useKeys } from "../../keys/KeyProvider";

export function ResultView(props: {
  project: string;
  settings: Settings;
  answer: RetrievalResult;
  onChange: (change: Settings) => void;
}) {
  const { answer, settings } = props;
  const { served, left } = candidatesOf(answer);
  const threshold = parameter(answer.receipt, "similarity_threshold");
  const found = served.some((one) => !one.pinned);
  const near = closest(left);
  const texts = t.retrieve.notices;
  return (
    <>
      {answer.augmented.degraded ? <Notice>{texts.degraded}</Notice> : null}
      {found ? null : near === null ? (
        <Notice>{left.length === 0 && served.length === 0 ? texts.nothingStored : texts.onlyPinned}</Notice>
      ) : (
        <Notice>
          {texts.belowThreshold({
            threshold: threshold === null ? null : fixed(threshold),
            closest: fixed(near),
            action: (
              <button
                type="button"
                className="btn btn-small"
                onClick={() => props.onChange({ least: justBelow(near) })}
              >
                {texts.lowerThreshold(fixed(justBelow(near)))}
              </button>
            ),
          })}
        </Notice>
      )}
      <Candidates
        project={props.project}
        answer={answer}
        served={served}
        left={left}
        room={settings.room ?? DEFAULTS.room}
      />
    </>
  );
}

function Notice(props: { children: ReactNode }) {
  return (
    <p role="status" className="rounded bg-warn-tint px-3 py-2 text-warn">
      {props.children}
    </p>
  );
}

/** The text that an agent would receive. */
export function PromptText(props: { project: string; settings: Settings; answer: RetrievalResult }) {
  const { run } = useKeys();
  const texts = t.retrieve.prompt;
  const text = props.answer.augmented.augmented_task;
  const code = pythonCode(`${location.origin}${base}`, props.project, props.settings);
  return (
    <aside aria-label={texts.label} className="flex min-w-0 flex-col gap-4">
      <section className="flex flex-col gap-1.5">
        <div className="flex flex-wrap items-center gap-2">
          <h2>{texts.title}</h2>
          <span className="text-xs text-soft">{texts.tokens(tokensOf(text))}</span>
          <button type="button" className="btn btn-small ms-auto" onClick={() => run("copy-text")}>
            {t.parts.copy.copy} <Key name="c" />
          </button>
        </div>
        <div className="card p-3">
          <RunText text={text} lines={60} />
        </div>
      </section>
      <section className="flex flex-col gap-1.5">
        <div className="flex items-center gap-2">
          <h2>{texts.python}</h2>
          <button type="button" className="btn btn-small ms-auto" onClick={() => run("copy-code")}>
            {t.parts.copy.copy} <Key name="y" />
          </button>
        </div>
        <pre className="plain-run card p-3">{code}</pre>
      </section>
    </aside>
  );
}
