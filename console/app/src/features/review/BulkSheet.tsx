// One verdict for many runs: first what would happen, then it happens, and all of it can be taken back.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Heading } from "react-aria-components";
import { api, body } from "../../api/client";
import { words } from "../../api/failure";
import type { BulkReview, BulkReviewed } from "../../api/types";
import { Overlay } from "../../shell/Overlay";
import { tell } from "../../shell/toasts";
import { GRACE_SECONDS } from "./outbox";
import { answered, begun, isPassed, needsCheck, type SpotCheck } from "./spot-check";
import { someOf, SpotCheckPanel, type Which } from "./SpotCheckPanel";

/** A grace that leaves time to look at what was done. */
const BULK_GRACE_SECONDS = GRACE_SECONDS * 4;

export function BulkSheet(props: {
  project: string;
  which: Which;
  about?: string;
  onClose: (done: boolean) => void;
}) {
  const client = useQueryClient();
  const [result, setResult] = useState<"pass" | "fail">("pass");
  const [feedback, setFeedback] = useState("");
  const params = { path: { project_id: props.project } };
  const call = (more: Partial<BulkReview>) =>
    body(
      api.POST("/v1/projects/{project_id}/reviews/bulk", {
        params,
        body: { ...props.which, result, ...more },
      }),
    );
  // The numbers do not depend on the words, but a fail is not taken without any.
  const preview = useQuery({
    queryKey: [props.project, "bulk", props.which, result],
    queryFn: () => call({ dry_run: true, feedback_text: "counted only" }),
    gcTime: 0,
  });
  const undo = (action: string) =>
    void body(
      api.POST("/v1/projects/{project_id}/actions/{action_id}/undo", {
        params: { path: { ...params.path, action_id: action } },
      }),
    )
      .finally(() => client.invalidateQueries({ queryKey: [props.project] }))
      // Said when it is shown: the next key is about what stands on the page.
      .then(() => tell({ text: "The whole batch was taken back." }))
      .catch((thrown: unknown) => tell({ text: words(thrown), tone: "bad" }));
  const run = useMutation({
    mutationFn: () =>
      call({
        dry_run: false,
        grace_seconds: BULK_GRACE_SECONDS,
        ...(feedback.trim() === "" ? {} : { feedback_text: feedback.trim() }),
      }),
    onSuccess: (done) => {
      const action = done.action_id;
      tell(
        {
          text: outcome(done, result),
          ...(action == null ? {} : { choices: [{ label: "Take all of it back", run: () => undo(action) }] }),
        },
        { stays: true },
      );
      void client.invalidateQueries({ queryKey: [props.project] });
      props.onClose(true);
    },
  });
  const [check, setCheck] = useState<SpotCheck | null>(null);
  const begin = useMutation({
    mutationFn: () => someOf(props.project, props.which),
    onSuccess: (some) => setCheck(begun(some)),
  });
  const needsWords = result === "fail" && feedback.trim() === "";
  const counted = preview.data !== undefined && preview.data.traces > 0 && !needsWords && !run.isPending;
  const unchecked = preview.data !== undefined && needsCheck(preview.data.traces);
  const ready = counted && (!unchecked || (check !== null && isPassed(check)));
  const problem = preview.error ?? begin.error ?? run.error;
  return (
    <Overlay label="One verdict for many runs" onClose={() => props.onClose(false)}>
      <form
        className="flex flex-col gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) run.mutate();
        }}
      >
        <Heading slot="title" level={2} className="text-base font-semibold text-ink">
          One verdict for many runs
        </Heading>
        <p className="text-soft">{whichWords(props.which, props.about)}</p>
        <fieldset className="flex gap-4">
          <legend className="sr-only">Verdict</legend>
          {(["pass", "fail"] as const).map((one) => (
            <label key={one} className="flex items-center gap-1.5">
              <input
                type="radio"
                name="result"
                className="h-4 w-4 accent-accent"
                checked={result === one}
                onChange={() => {
                  setResult(one);
                  setCheck(null);
                }}
              />
              {one === "pass" ? "Pass" : "Fail"}
            </label>
          ))}
        </fieldset>
        <label className="flex flex-col gap-1 text-sm">
          {result === "fail" ? "What was wrong with all of them (needed)" : "Feedback for all of them"}
          <textarea
            rows={3}
            className="field"
            value={feedback}
            onChange={(event) => setFeedback(event.target.value)}
          />
        </label>
        <p role="status" className="min-h-10 rounded bg-sunken px-3 py-2">
          {preview.data === undefined ? "" : forecast(preview.data, result)}
        </p>
        {check === null ? null : (
          <SpotCheckPanel
            project={props.project}
            check={check}
            onAnswer={(mine) => setCheck(answered(check, mine, result))}
          />
        )}
        {problem === null ? null : (
          <p role="alert" className="text-fail">
            {words(problem)}
          </p>
        )}
        <p className="flex justify-end gap-2">
          <button type="button" className="btn" onClick={() => props.onClose(false)}>
            Cancel
          </button>
          {unchecked && check === null ? (
            <button
              type="button"
              className="btn btn-primary"
              disabled={!counted || begin.isPending}
              onClick={() => begin.mutate()}
            >
              Look at a few of them first
            </button>
          ) : (
            <button type="submit" className="btn btn-primary" disabled={!ready}>
              {result === "pass" ? "Pass" : "Fail"} {preview.data?.traces.toLocaleString() ?? ""} runs
            </button>
          )}
        </p>
      </form>
    </Overlay>
  );
}

function whichWords(which: Which, about: string | undefined): string {
  if ("trace_ids" in which) return `The ${which.trace_ids.length.toLocaleString()} runs that you selected.`;
  return about === undefined || about === ""
    ? "Every run that waits for a review."
    : `Every run that waits for a review and matches ${about}.`;
}

/** What will happen, before it happens. */
export function forecast(would: BulkReviewed, result: "pass" | "fail"): string {
  const n = (count: number, one: string, many: string) =>
    `${count.toLocaleString()} ${count === 1 ? one : many}`;
  const said = [
    `${n(would.traces, "run gets", "runs get")} a ${result}`,
    `${n(would.utilities, "utility moves", "utilities move")}`,
    would.reflections === 0
      ? "no model is asked"
      : `up to ${n(would.reflections, "reflection", "reflections")} (about ${would.tokens.toLocaleString()} tokens)`,
  ];
  const rest = [
    would.skipped > 0
      ? `${n(would.skipped, "has", "have")} a review already and ${would.skipped === 1 ? "is" : "are"} left alone`
      : null,
    would.left > 0 ? `${would.left.toLocaleString()} more match and wait for another round` : null,
  ].filter((part) => part !== null);
  return `${said.join(", ")}.${rest.length === 0 ? "" : ` ${rest.join("; ")}.`}`;
}

function outcome(done: BulkReviewed, result: "pass" | "fail"): string {
  const skipped = done.skipped > 0 ? `, ${done.skipped.toLocaleString()} left alone` : "";
  return `${done.traces.toLocaleString()} runs ${result === "pass" ? "passed" : "failed"}${skipped}.`;
}
