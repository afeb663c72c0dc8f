// Applies one verdict to many runs: shows a preview first, then applies it. The whole batch can be undone.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Heading } from "react-aria-components";
import { api, body } from "../../api/client";
import { errorMessage } from "../../api/errors";
import type { BulkReview } from "../../api/types";
import { Overlay } from "../../shell/Overlay";
import { notify } from "../../parts/notifications";
import { GRACE_SECONDS } from "../../api/reviews";
import { t } from "../../texts";
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
  const texts = t.review.bulk;
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
      .then(() => notify({ text: texts.undone }))
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
          text: texts.done(done, result),
          ...(action == null ? {} : { choices: [{ label: texts.undoAll, run: () => undo(action) }] }),
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
    <Overlay label={texts.title} onClose={() => props.onClose(false)}>
      <form
        className="flex flex-col gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) run.mutate();
        }}
      >
        <Heading slot="title" level={2} className="text-base font-semibold text-ink">
          {texts.title}
        </Heading>
        <p className="text-soft">{describeSelection(props.which, props.about)}</p>
        <fieldset className="flex gap-4">
          <legend className="sr-only">{texts.verdict}</legend>
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
              {t.review.results[one]}
            </label>
          ))}
        </fieldset>
        <label className="flex flex-col gap-1 text-sm">
          {texts.feedback[result]}
          <textarea
            rows={3}
            className="field"
            value={feedback}
            onChange={(event) => setFeedback(event.target.value)}
          />
        </label>
        <p role="status" className="min-h-10 rounded bg-sunken px-3 py-2">
          {preview.data === undefined ? "" : texts.preview(preview.data, result)}
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
            {t.review.cancel}
          </button>
          {unchecked && check === null ? (
            <button
              type="button"
              className="btn btn-primary"
              disabled={!counted || begin.isPending}
              onClick={() => begin.mutate()}
            >
              {texts.checkFirst}
            </button>
          ) : (
            <button type="submit" className="btn btn-primary" disabled={!ready}>
              {texts.apply(result, preview.data?.traces ?? null)}
            </button>
          )}
        </p>
      </form>
    </Overlay>
  );
}

function describeSelection(which: BatchSelection, about: string | undefined): string {
  const texts = t.review.bulk;
  if ("trace_ids" in which) return texts.selected(which.trace_ids.length);
  return about === undefined || about === "" ? texts.allPending : texts.allMatching(about);
}
