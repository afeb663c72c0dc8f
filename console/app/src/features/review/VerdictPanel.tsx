// The verdict buttons with their keys, and the feedback field. On a small screen they are a bar at the bottom.
import { type RefObject, useState } from "react";
import { Button } from "react-aria-components";
import { Key } from "../../keys/Key";
import { useKeyOf, useKeys } from "../../keys/KeyProvider";
import { keyLabel } from "../../keys/labels";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import type { Item, Mode } from "./session";
import { specificity, recentFeedback } from "./recent-feedback";

export function VerdictPanel(props: {
  project: string;
  item: Item;
  mode: Mode;
  draft: string;
  field: RefObject<HTMLTextAreaElement | null>;
  onWrite: (text: string) => void;
}) {
  const { item, mode } = props;
  const texts = t.review.verdict;
  if (item.decision !== null) {
    return (
      <section aria-label={texts.label} className="flex flex-col gap-2">
        <p>{texts.decided[item.decision]}</p>
        {item.decision === "pass" || item.decision === "fail" ? (
          <ActionButton action="undo" label={texts.undoLast} />
        ) : null}
        <ActionButton action="next" label={texts.next} />
      </section>
    );
  }
  return (
    <section aria-label={texts.label} className="flex flex-col gap-2">
      <h2 className="text-base text-ink max-md:sr-only">
        {mode === "asking" ? texts.questionAfterFeedback : texts.question}
      </h2>
      <div className="grid gap-2 max-md:grid-cols-2">
        <ActionButton
          action="pass"
          label={t.review.results.pass}
          look="h-10 border-pass bg-pass-tint text-pass font-semibold max-md:h-12"
        />
        <ActionButton
          action="fail"
          label={t.review.results.fail}
          look="h-10 border-fail bg-fail-tint text-fail font-semibold max-md:h-12"
          pressed={mode === "failing"}
        />
      </div>
      {mode === "deferring" ? <DeferChoices /> : <OtherChoices />}
      <Feedback {...props} />
    </section>
  );
}

function DeferChoices() {
  const texts = t.review.verdict;
  return (
    <fieldset className="flex flex-col gap-1 rounded border border-line p-2">
      <legend className="px-1 text-xs text-soft">{texts.deferUntil}</legend>
      <ActionButton action="defer-hour" label={texts.deferHour} />
      <ActionButton action="defer-day" label={texts.deferDay} />
      <ActionButton action="defer-week" label={texts.deferWeek} />
      <ActionButton action="cancel" label={texts.deferCancel} />
    </fieldset>
  );
}

function OtherChoices() {
  const texts = t.review.verdict;
  return (
    <div className="flex flex-wrap gap-1">
      <ActionButton action="defer" label={texts.defer} look="grow" />
      <ActionButton action="skip" label={texts.skip} look="grow" />
      <ActionButton action="undo" label={t.review.undo} look="grow" />
      <ActionButton action="feedback" label={t.review.feedback.label} look="grow md:hidden" />
    </div>
  );
}

function Feedback(props: {
  project: string;
  mode: Mode;
  draft: string;
  field: RefObject<HTMLTextAreaElement | null>;
  onWrite: (text: string) => void;
}) {
  const writing = props.mode === "failing" || props.mode === "writing";
  const texts = t.review.feedback;
  const hint = specificity(props.draft);
  const keys = props.mode === "failing" ? texts.keysFailing : texts.keysWriting;
  return (
    <div className={`flex flex-col gap-1 pt-2 max-md:pt-0 ${writing ? "" : "max-md:hidden"}`}>
      <label htmlFor="feedback" className="flex items-center justify-between text-xs text-soft">
        <span>{props.mode === "failing" ? texts.whatWasWrong : texts.label}</span>
        <span className="max-md:hidden">
          <Key name="f" />
        </span>
      </label>
      <textarea
        id="feedback"
        ref={props.field}
        rows={5}
        maxLength={8000}
        aria-describedby="feedback-hint"
        className="field max-md:h-20"
        placeholder={t.review.feedback.hint}
        value={props.draft}
        onChange={(event) => props.onWrite(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown" && event.currentTarget.selectionStart === props.draft.length) {
            document.querySelector<HTMLButtonElement>("#phrases button")?.focus();
            event.preventDefault();
          }
        }}
      />
      <p id="feedback-hint" className="min-h-8 text-xs text-soft max-md:min-h-4">
        {hint === "empty" ? "" : texts[hint]}{" "}
        {writing ? <span className="max-md:hidden">{keys(keyLabel("Mod+Enter"))}</span> : null}
      </p>
      {writing ? <SendChoices mode={props.mode} isBlank={props.draft.trim() === ""} /> : null}
      <RecentFeedback {...props} />
    </div>
  );
}

/** Sends the feedback, by mouse or touch. */
function SendChoices(props: { mode: Mode; isBlank: boolean }) {
  const failing = props.mode === "failing";
  const texts = t.review.feedback;
  return (
    <div className="flex flex-wrap gap-1">
      <ActionButton action="submit" label={failing ? texts.send : texts.continue} look="btn-primary flex-1" />
      <ActionButton action="cancel" label={t.review.cancel} />
      {failing && props.isBlank ? (
        <ActionButton action="fail-silently" label={texts.sendWithout} look="w-full" />
      ) : null}
    </div>
  );
}

function RecentFeedback(props: {
  project: string;
  draft: string;
  field: RefObject<HTMLTextAreaElement | null>;
  onWrite: (text: string) => void;
}) {
  const [offered] = useState(() => recentFeedback(props.project));
  if (offered.length === 0) return null;
  return (
    <ul id="phrases" aria-label={t.review.feedback.recent} className="flex flex-wrap gap-1">
      {offered.map((phrase) => (
        <li key={phrase} className="flex max-w-full">
          <button
            type="button"
            title={shown(phrase)}
            className="chip block max-w-full truncate py-0.5 text-soft hover:text-ink max-md:py-2.5"
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
      className={`btn justify-between max-md:justify-center ${props.look ?? ""} ${props.pressed === true ? "outline-2 outline-fail" : ""}`}
      onPress={() => run(props.action)}
    >
      {props.label}{" "}
      <span className="max-md:hidden">
        <Key name={key} />
      </span>
    </Button>
  );
}
