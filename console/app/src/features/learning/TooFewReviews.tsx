// Shown when there are too few reviewed runs: how many are missing, and how to get them.
import { Link } from "@tanstack/react-router";
import { ProgressBar } from "../../parts/ProgressBar";
import { MIN_REVIEWS } from "../../parts/charts/rates";
import { t } from "../../texts";
import { Empty } from "../../shell/Page";

export function TooFewReviews(props: { project: string; reviewed: number; pending: number }) {
  const texts = t.learning.tooFew;
  return (
    <Empty title={texts.title(props.reviewed, MIN_REVIEWS)}>
      <p>{texts.about(MIN_REVIEWS - props.reviewed)}</p>
      <ProgressBar label={texts.progress} value={props.reviewed} of={MIN_REVIEWS} />
      {props.pending > 0 ? (
        <Link
          className="btn btn-primary"
          to="/p/$project/review"
          params={{ project: props.project }}
          search={{}}
        >
          {texts.review(props.pending)}
        </Link>
      ) : (
        <p className="text-soft">{texts.nothingPending}</p>
      )}
    </Empty>
  );
}
