//! Sends an outbox entry to the server and interprets the response.

use reflect_api::{DeferTrace, ReviewTrace};
use reflect_sdk::{Error, ReflectClient};
use reflect_types::{ReviewId, TraceId};

use super::submission::{ExistingReview, GRACE_SECONDS, OutboxEntry, SendOutcome, Submission};

/// Sends one entry.
pub(crate) async fn send(client: &ReflectClient, entry: &OutboxEntry, reviewer: Option<&str>) -> SendOutcome {
    let error = match call(client, entry, reviewer).await {
        Ok(review) => return SendOutcome::Accepted { review },
        Err(error) => error,
    };
    let status = error.status();
    match &entry.submission {
        // An invalid key can be replaced later, and the verdict must not be lost until then.
        _ if error.is_passing() || matches!(status, Some(401 | 403)) => {
            SendOutcome::Retry { message: user_message(&error) }
        }
        Submission::Review { .. } if status == Some(409) => {
            SendOutcome::Conflict { existing: existing_review(client, entry.trace).await }
        }
        // Nothing to withdraw: the run is deleted, or another reviewer has replaced the review.
        Submission::Withdraw { .. } if matches!(status, Some(404 | 409)) => {
            SendOutcome::Accepted { review: None }
        }
        _ => SendOutcome::Rejected { message: user_message(&error) },
    }
}

async fn call(
    client: &ReflectClient,
    entry: &OutboxEntry,
    reviewer: Option<&str>,
) -> Result<Option<ReviewId>, Error> {
    let reviewer = reviewer.map(str::to_owned);
    match &entry.submission {
        Submission::Review { result, feedback, replace } => {
            let review = ReviewTrace {
                result: *result,
                feedback_text: feedback.clone(),
                alpha: None,
                reflection: None,
                replace: *replace,
                grace_seconds: Some(GRACE_SECONDS),
                reviewer,
            };
            let trace = client.reviews.send_once(entry.trace, &review, entry.id).await?;
            Ok(trace.review.map(|review| review.id))
        }
        Submission::Withdraw { review } => {
            client.reviews.withdraw_once(entry.trace, *review, entry.id).await.map(|_| None)
        }
        Submission::Defer { seconds, note } => {
            let request = DeferTrace { seconds: Some(*seconds), note: note.clone(), until: None, reviewer };
            client.queue.defer_once(entry.trace, &request, entry.id).await.map(|_| None)
        }
    }
}

async fn existing_review(client: &ReflectClient, trace: TraceId) -> Option<ExistingReview> {
    let review = client.traces.get(trace).await.ok()?.review?;
    let reviewer = review.reviewer.strip_prefix("member:").unwrap_or(&review.reviewer).to_owned();
    Some(ExistingReview { reviewer, result: review.result, at: review.created_at })
}

/// The error without the name of the SDK method, which means nothing to a reviewer.
pub(crate) fn user_message(error: &Error) -> String {
    match error {
        Error::Connection { base_url, .. } => format!("cannot reach {base_url}"),
        Error::Timeout { base_url, .. } => format!("{base_url} does not respond"),
        Error::Status(refusal) => refusal.message.clone(),
        other => other.to_string(),
    }
}
