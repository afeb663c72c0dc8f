// The result of a retrieval: candidates, excluded candidates, and the text for the prompt.
import type { ReactNode } from "react";
import { RunText } from "../../parts/RunText";
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
  return (
    <>
      {answer.receipt.held_out ? (
        <Notice>
          This query was in the random holdout, which compares runs with and without memories. Run it again to
          see the usual result.
        </Notice>
      ) : null}
      {answer.augmented.degraded ? (
        <Notice>
          Found by keyword search, because no vector was available. Similarity is then the keyword match, and
          no threshold applies.
        </Notice>
      ) : null}
      {found || answer.receipt.held_out ? null : near === null ? (
        <Notice>
          {left.length === 0 && served.length === 0
            ? "There are no memories to search."
            : "Only pinned memories were served."}
        </Notice>
      ) : (
        <Notice>
          Nothing above the threshold{threshold === null ? "" : ` of ${threshold.toFixed(2)}`}. Closest was{" "}
          {near.toFixed(2)}.{" "}
          <button
            type="button"
            className="btn btn-small"
            onClick={() => props.onChange({ least: justBelow(near) })}
          >
            Lower the threshold to {justBelow(near).toFixed(2)}
          </button>
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
  const text = props.answer.augmented.augmented_task;
  const code = pythonCode(`${location.origin}${base}`, props.project, props.settings);
  return (
    <aside aria-label="Prompt text" className="flex min-w-0 flex-col gap-4">
      <section className="flex flex-col gap-1.5">
        <div className="flex flex-wrap items-center gap-2">
          <h2>Text for the prompt</h2>
          <span className="text-xs text-soft">
            about {tokensOf(text).toLocaleString()} tokens, at four characters per token
          </span>
          <button type="button" className="btn btn-small ms-auto" onClick={() => run("copy-text")}>
            Copy <Key name="c" />
          </button>
        </div>
        <div className="card p-3">
          <RunText text={text} lines={60} />
        </div>
      </section>
      <section className="flex flex-col gap-1.5">
        <div className="flex items-center gap-2">
          <h2>The same query in Python</h2>
          <button type="button" className="btn btn-small ms-auto" onClick={() => run("copy-code")}>
            Copy <Key name="y" />
          </button>
        </div>
        <pre className="plain-run card p-3">{code}</pre>
      </section>
    </aside>
  );
}
