// Applies one verdict to many runs: shows a preview first, then applies it. The whole batch can be undone.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Heading } from "react-aria-components";
import { api, body } from "../../api/client";
import { errorMessage } from "../../api/errors";
import type { BulkReview, BulkReviewed } from "../../api/types";
import { Overlay } from "../../shell/Overlay";
import { notify } from "../../parts/notifications";
import { GRACE_SECONDS } from "../../api/reviews";
import { recordAnswer, startCheck, isPassed, needsCheck, type SpotCheck } from "./spot-check";
import { sampleOf, SpotCheckPanel, type BatchSelection } from "./SpotCheckPanel";

/** A longer grace period, to leave time to inspect the result. */
const BULK_GRACE_SECONDS = GRACE_SECONDS * 4;

export function BulkSheet(props: {
  project: string;
  which: BatchSelection;
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
  // The numbers do not depend on the feedback text, but the server rejects a fail without feedback.
  const preview = useQuery({
    queryKey: [props.project, "bulk", props.which, result],
    queryFn: () => call({ dry_run: true, feedback_text: "preview only" }),
    gcTime: 0,
  });
  const undo = (action: string) =>
    void body(
      api.POST("/v1/projects/{project_id}/actions/{action_id}/undo", {
        params: { path: { ...params.path, action_id: action } },
      }),
    )
      .finally(() => client.invalidateQueries({ queryKey: [props.project] }))
      // Report after the page is updated: the next key press refers to what is visible.
      .then(() => notify({ text: "The whole batch was undone." }))
      .catch((thrown: unknown) => notify({ text: errorMessage(thrown), tone: "bad" }));
  const run = useMutation({
    mutationFn: () =>
      call({
        dry_run: false,
        grace_seconds: BULK_GRACE_SECONDS,
        ...(feedback.trim() === "" ? {} : { feedback_text: feedback.trim() }),
      }),
    onSuccess: (done) => {
      const action = done.action_id;
      notify(
        {
          text: describeResult(done, result),
          ...(action == null ? {} : { choices: [{ label: "Undo all", run: () => undo(action) }] }),
        },
        { stays: true },
      );
      void client.invalidateQueries({ queryKey: [props.project] });
      props.onClose(true);
    },
  });
  const [check, setCheck] = useState<SpotCheck | null>(null);
  const begin = useMutation({
    mutationFn: () => sampleOf(props.project, props.which),
    onSuccess: (some) => setCheck(startCheck(some)),
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
        <p className="text-soft">{describeSelection(props.which, props.about)}</p>
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
          {result === "fail" ? "What was wrong with all of them (required)" : "Feedback for all of them"}
          <textarea
            rows={3}
            className="field"
            value={feedback}
            onChange={(event) => setFeedback(event.target.value)}
          />
        </label>
        <p role="status" className="min-h-10 rounded bg-sunken px-3 py-2">
          {preview.data === undefined ? "" : describePreview(preview.data, result)}
        </p>
        {check === null ? null : (
          <SpotCheckPanel
            project={props.project}
            check={check}
            onAnswer={(mine) => setCheck(recordAnswer(check, mine, result))}
          />
        )}
        {problem === null ? null : (
          <p role="alert" className="text-fail">
            {errorMessage(problem)}
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
              Check a sample first
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

function describeSelection(which: BatchSelection, about: string | undefined): string {
  if ("trace_ids" in which) return `The ${which.trace_ids.length.toLocaleString()} runs that you selected.`;
  return about === undefined || about === "" ? "All pending runs." : `All pending runs that match ${about}.`;
}

/** Describes the effect before it is applied. */
export function describePreview(would: BulkReviewed, result: "pass" | "fail"): string {
  const n = (count: number, one: string, many: string) =>
    `${count.toLocaleString()} ${count === 1 ? one : many}`;
  const summary = [
    `${n(would.traces, "run gets", "runs get")} a ${result}`,
    `${n(would.utilities, "utility changes", "utilities change")}`,
    would.reflections === 0
      ? "no model is called"
      : `up to ${n(would.reflections, "reflection", "reflections")} (about ${would.tokens.toLocaleString()} tokens)`,
  ];
  const rest = [
    would.skipped > 0
      ? `${n(would.skipped, "has", "have")} a review already and ${would.skipped === 1 ? "is" : "are"} not changed`
      : null,
    would.left > 0 ? `${would.left.toLocaleString()} more match and need another batch` : null,
  ].filter((part) => part !== null);
  return `${summary.join(", ")}.${rest.length === 0 ? "" : ` ${rest.join("; ")}.`}`;
}

function describeResult(done: BulkReviewed, result: "pass" | "fail"): string {
  const skipped = done.skipped > 0 ? `, ${done.skipped.toLocaleString()} not changed` : "";
  return `${done.traces.toLocaleString()} runs ${result === "pass" ? "passed" : "failed"}${skipped}.`;
}
