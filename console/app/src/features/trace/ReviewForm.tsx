// The verdict on one run, on its own page: review, withdraw, retry learning.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import { errorMessage } from "../../api/errors";
import type { Review } from "../../api/types";
import { GRACE_SECONDS } from "../../api/reviews";
import { isPerson } from "../../parts/reviewer";
import { t } from "../../texts";

type Props = { project: string; trace: string; review: Review | null; failed: boolean };

export function ReviewForm(props: Props) {
  const { review } = props;
  const client = useQueryClient();
  const [feedback, setFeedback] = useState("");
  const params = { path: { project_id: props.project, trace_id: props.trace } };
  const done = () => client.invalidateQueries({ queryKey: [props.project, "traces"] });
  const give = useMutation({
    mutationFn: (result: "pass" | "fail") =>
      body(
        api.POST("/v1/projects/{project_id}/traces/{trace_id}/review", {
          params,
          body: {
            result,
            feedback_text: feedback || null,
            replace: false,
            grace_seconds: GRACE_SECONDS,
          },
        }),
      ),
    onSettled: done,
  });
  const withdraw = useMutation({
    // Withdraw exactly the displayed review, not one that replaced it since.
    mutationFn: (given: Review) =>
      body(
        api.DELETE("/v1/projects/{project_id}/traces/{trace_id}/review", {
          params: { ...params, query: { review_id: given.id } },
        }),
      ),
    onSettled: done,
  });
  const retry = useMutation({
    mutationFn: () => body(api.POST("/v1/projects/{project_id}/traces/{trace_id}/retry", { params })),
    onSettled: done,
  });
  const problem = give.error ?? withdraw.error ?? retry.error;
  const texts = t.trace.review;
  const busy = give.isPending || withdraw.isPending || retry.isPending;
  // The review of a judge or of a signal is replaced by that of a person.
  const isOpen = review === null || !isPerson(review.reviewer ?? "");
  return (
    <div className="flex flex-col gap-2">
      {isOpen ? (
        <>
          <textarea
            aria-label={texts.feedback}
            placeholder={texts.feedbackHint}
            rows={3}
            className="field"
            value={feedback}
            onChange={(event) => setFeedback(event.target.value)}
          />
          <p className="flex gap-2">
            <button type="button" className="btn" disabled={busy} onClick={() => give.mutate("pass")}>
              {texts.pass}
            </button>
            <button type="button" className="btn" disabled={busy} onClick={() => give.mutate("fail")}>
              {texts.fail}
            </button>
          </p>
        </>
      ) : null}
      {review === null ? null : (
        <p className="flex flex-wrap gap-2">
          <button
            type="button"
            className="btn btn-small"
            disabled={busy}
            onClick={() => withdraw.mutate(review)}
          >
            {texts.withdraw}
          </button>
          {props.failed ? (
            <button type="button" className="btn btn-small" disabled={busy} onClick={() => retry.mutate()}>
              {texts.retry}
            </button>
          ) : null}
        </p>
      )}
      {problem === null ? null : (
        <p role="alert" className="text-sm text-fail">
          {errorMessage(problem)}
        </p>
      )}
    </div>
  );
}
