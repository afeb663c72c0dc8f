//! Checks of reviews: whether there are any, whether their feedback is specific, whether judges are reliable, and
//! whether lessons are written.

use reflect_store::{JudgeFacts, ReviewFacts, RipeRuns};
use reflect_types::HealthLevel;
use serde_json::json;

use super::finding::{FEW, Finding, percent, share};
use crate::agreement::Agreement;
use crate::judge_profile::IMPROVE;

const MOST_UNREVIEWED: f64 = 0.8;
const MOST_ERRORS: f64 = 0.05;
const MOST_VAGUE: f64 = 0.5;
const LEAST_AGREEMENT: f64 = 0.8;
/// The text of an error may be long.
const LONGEST_ERROR: usize = 500;

pub(super) fn nobody_reviews(facts: &RipeRuns) -> Finding {
    const CHECK: &str = "nobody_reviews";
    let RipeRuns { runs, unreviewed } = *facts;
    let numbers = json!({ "runs": runs, "unreviewed": unreviewed });
    let window = format!("runs that are {} to {} days old", RipeRuns::FROM_DAYS, RipeRuns::TO_DAYS);
    if runs < FEW {
        return Finding::too_few(CHECK, runs, &window, numbers);
    }
    let said = format!("{unreviewed} of {runs} {window} ({}) have no review.", percent(unreviewed, runs));
    if share(unreviewed, runs) <= MOST_UNREVIEWED {
        return Finding::ok(CHECK, said, numbers);
    }
    let fix = "Send the outcome with each run as \"review\": {\"result\": \"pass\"} or \"fail\", or review stored runs: \
               GET /v1/projects/{project_id}/traces?review_status=pending lists them, \
               POST /v1/projects/{project_id}/reviews/batch reviews 100 at a time. Or let a model review them: \
               PATCH /v1/projects/{project_id} with {\"judge\": {\"enabled\": true}}.";
    Finding::trouble(CHECK, HealthLevel::Failing, format!("Nothing is being learned: {said}"), fix, numbers)
}

pub(super) fn reflection_failing(facts: &ReviewFacts) -> Finding {
    const CHECK: &str = "reflection_failing";
    let ReviewFacts { reviews, given_up, waiting, .. } = *facts;
    let numbers = json!({ "reviews": reviews, "given_up": given_up, "waiting_after_an_error": waiting });
    if reviews == 0 {
        return Finding::unknown(CHECK, "There is no review to learn from yet.".to_owned(), numbers);
    }
    let troubled = given_up + waiting;
    let often = share(troubled, reviews) > MOST_ERRORS;
    let said = format!(
        "Of the last {reviews} reviews, the lessons of {given_up} failed and those of {waiting} wait for another \
         attempt after an error ({} together).",
        percent(troubled, reviews)
    );
    if given_up == 0 && !often {
        return Finding::ok(CHECK, said, numbers);
    }
    let error = facts.last_error.as_deref().unwrap_or("not noted");
    let error: String = error.chars().take(LONGEST_ERROR).collect();
    let level = if often && reviews >= FEW { HealthLevel::Failing } else { HealthLevel::Warning };
    let fix = "Fix the cause that the error names. For a model provider, check its key, model and quota in the \
               server's settings. Waiting lessons are retried automatically. To retry failed ones: \
               POST /v1/projects/{project_id}/traces/{trace_id}/retry, for each trace whose ingest_status is failed.";
    Finding::trouble(CHECK, level, format!("{said} The last error: {error}"), fix, numbers)
}

pub(super) fn vague_feedback(facts: &ReviewFacts) -> Finding {
    const CHECK: &str = "vague_feedback";
    let ReviewFacts { reviews, fails, vague, .. } = *facts;
    let numbers = json!({ "reviews": reviews, "fails": fails, "vague": vague });
    if fails < FEW {
        return Finding::too_few(
            CHECK,
            fails,
            &format!("failed runs among the last {reviews} reviews"),
            numbers,
        );
    }
    let said = format!(
        "{vague} of {fails} failed runs ({}) among the last {reviews} reviews have feedback of fewer than {} characters.",
        percent(vague, fails),
        ReviewFacts::VAGUE_BELOW
    );
    if share(vague, fails) <= MOST_VAGUE {
        return Finding::ok(CHECK, said, numbers);
    }
    let fix = "Say in feedback_text what was wrong and what would have been right. Good examples: \"The order cost \
               24.00; look the price up before refunding.\" \"Wrong file: tests belong in tests/it, not in src.\" \
               \"It stopped at the first page; follow the cursor to the end.\"";
    Finding::trouble(
        CHECK,
        HealthLevel::Warning,
        format!("Feedback is too short for good lessons: {said}"),
        fix,
        numbers,
    )
}

pub(super) fn judge_unreliable(facts: &JudgeFacts, reviews: &ReviewFacts) -> Finding {
    const CHECK: &str = "judge_unreliable";
    if !facts.judging && reviews.reviews > 0 {
        return Finding::ok(CHECK, "No judge gives reviews.".to_owned(), json!({ "compared": 0 }));
    }
    let agreement = Agreement::of(facts.pairs);
    let (compared, agreed) = (facts.pairs.total(), facts.pairs.agreed());
    let numbers = json!({ "compared": compared, "agreed": agreed, "informedness": agreement.informedness,
                          "step": agreement.step, "stopped": agreement.stopped });
    if compared < FEW {
        return Finding::too_few(
            CHECK,
            compared,
            "runs were judged apart by the judge and by people",
            numbers,
        );
    }
    if agreement.stopped {
        let message =
            format!("The judge is stopped, because it cannot be relied on: {}.", agreement.describe());
        return Finding::trouble(CHECK, HealthLevel::Failing, message, IMPROVE, numbers);
    }
    let said = agreement.describe();
    if share(agreed, compared) >= LEAST_AGREEMENT {
        return Finding::ok(CHECK, format!("The judge can be relied on: {said}."), numbers);
    }
    let message =
        format!("The judge is often wrong: {said}. Its step is {:.3} because of it.", agreement.step);
    Finding::trouble(CHECK, HealthLevel::Warning, message, IMPROVE, numbers)
}
