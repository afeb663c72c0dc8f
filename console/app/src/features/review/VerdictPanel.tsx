// The verdict buttons with their keys, and the feedback field.
import { type RefObject, useState } from "react";
import { Button } from "react-aria-components";
import { Key } from "../../keys/Key";
import { useKeyOf, useKeys } from "../../keys/KeyProvider";
import { keyLabel } from "../../keys/labels";
import { shown } from "../../parts/reveal";
import type { Item, Mode } from "./session";
import { specificity, recentFeedback } from "./recent-feedback";

const HINT = {
  empty: "",
  vague: "Vague: which step was wrong, and what should the agent have done?",
  specific: "Specific enough for a lesson.",
};
const DECIDED: Record<string, string> = {
  pass: "You passed this run.",
  fail: "You failed this run.",
  deferred: "You deferred this run.",
  skipped: "You skipped this run.",
};

export function VerdictPanel(props: {
  project: string;
  item: Item;
  mode: Mode;
  draft: string;
  field: RefObject<HTMLTextAreaElement | null>;
  onWrite: (text: string) => void;
}) {
  const { item, mode } = props;
  if (item.decision !== null) {
    return (
      <section aria-label="Verdict" className="flex flex-col gap-2">
        <p>{DECIDED[item.decision]}</p>
        {item.decision === "pass" || item.decision === "fail" ? (
          <ActionButton action="undo" label="Undo the last verdict" />
        ) : null}
        <ActionButton action="next" label="Next" />
      </section>
    );
  }
  return (
    <section aria-label="Verdict" className="flex flex-col gap-2">
      <h2 className="text-base text-ink">{mode === "asking" ? "Was it correct?" : "Was this correct?"}</h2>
      <ActionButton action="pass" label="Pass" look="h-10 border-pass bg-pass-tint text-pass font-semibold" />
      <ActionButton
        action="fail"
        label="Fail"
        look="h-10 border-fail bg-fail-tint text-fail font-semibold"
        pressed={mode === "failing"}
      />
      {mode === "deferring" ? (
        <fieldset className="flex flex-col gap-1 rounded border border-line p-2">
          <legend className="px-1 text-xs text-soft">Defer until</legend>
          <ActionButton action="defer-hour" label="In an hour" />
          <ActionButton action="defer-day" label="Tomorrow" />
          <ActionButton action="defer-week" label="Next week" />
          <ActionButton action="cancel" label="Do not defer" />
        </fieldset>
      ) : (
        <div className="grid grid-cols-3 gap-1">
          <ActionButton action="defer" label="Defer" />
          <ActionButton action="skip" label="Skip" />
          <ActionButton action="undo" label="Undo" />
        </div>
      )}
      <Feedback {...props} />
    </section>
  );
}

function Feedback(props: {
  project: string;
  mode: Mode;
  draft: string;
  field: RefObject<HTMLTextAreaElement | null>;
  onWrite: (text: string) => void;
}) {
  const [offered] = useState(() => recentFeedback(props.project));
  const writing = props.mode === "failing" || props.mode === "writing";
  return (
    <div className="flex flex-col gap-1 pt-2">
      <label htmlFor="feedback" className="flex items-center justify-between text-xs text-soft">
        <span>{props.mode === "failing" ? "What was wrong?" : "Feedback"}</span> <Key name="f" />
      </label>
      <textarea
        id="feedback"
        ref={props.field}
        rows={5}
        maxLength={8000}
        aria-describedby="feedback-hint"
        className="field"
        value={props.draft}
        onChange={(event) => props.onWrite(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown" && event.currentTarget.selectionStart === props.draft.length) {
            document.querySelector<HTMLButtonElement>("#phrases button")?.focus();
            event.preventDefault();
          }
        }}
      />
      <p id="feedback-hint" className="min-h-8 text-xs text-soft">
        {HINT[specificity(props.draft)]}
        {writing
          ? ` ${keyLabel("Mod+Enter")} ${props.mode === "failing" ? "fails the run" : "continues to the verdict"}, Esc goes back.`
          : ""}
      </p>
      {offered.length > 0 ? (
        <ul id="phrases" aria-label="Recent feedback" className="flex flex-col">
          {offered.map((phrase) => (
            <li key={phrase}>
              <button
                type="button"
                className="w-full truncate rounded px-1 py-0.5 text-start text-sm text-soft hover:bg-sunken hover:text-ink"
                onClick={() => {
                  props.onWrite(props.draft === "" ? phrase : `${props.draft.trimEnd()} ${phrase}`);
                  props.field.current?.focus();
                }}
                onKeyDown={moveInSuggestions}
              >
                {shown(phrase)}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

function moveInSuggestions(event: React.KeyboardEvent<HTMLButtonElement>) {
  const item = event.currentTarget.parentElement;
  const next =
    event.key === "ArrowDown"
      ? item?.nextElementSibling
      : event.key === "ArrowUp"
        ? item?.previousElementSibling
        : null;
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  (next?.querySelector("button") ?? document.getElementById("feedback"))?.focus();
}

/** A button for an action of the key table. It shows its key, and both do the same. */
function ActionButton(props: { action: string; label: string; look?: string; pressed?: boolean }) {
  const { run } = useKeys();
  const key = useKeyOf(props.action);
  return (
    <Button
      className={`btn justify-between ${props.look ?? ""} ${props.pressed === true ? "outline-2 outline-fail" : ""}`}
      onPress={() => run(props.action)}
    >
      {props.label} <Key name={key} />
    </Button>
  );
}
