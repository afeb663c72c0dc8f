//! How an entry of the outbox becomes a call, and what its answer means.

use reflect_api::{DeferTrace, ReviewTrace};
use reflect_sdk::{Error, ReflectClient};
use reflect_types::{ReviewId, TraceId};

use super::mail::{Entry, GRACE_SECONDS, Mail, Sent, Theirs};

/// Sends one. With a grace, learning waits so that it can be taken back.
pub(crate) async fn send(
    client: &ReflectClient,
    entry: &Entry,
    reviewer: Option<&str>,
    grace: Option<u32>,
) -> Sent {
    let error = match call(client, entry, reviewer, grace).await {
        Ok(review) => return Sent::Done { review },
        Err(error) => error,
    };
    let status = error.status();
    match &entry.mail {
        // A key that is wrong today may be mended tomorrow, and the verdict is still here.
        _ if error.is_passing() || matches!(status, Some(401 | 403)) => Sent::Later { why: said(&error) },
        Mail::Review { .. } if status == Some(409) => {
            Sent::Conflict { theirs: theirs(client, entry.trace).await }
        }
        // Nothing to take back: the run is gone, or somebody else's verdict stands by now.
        Mail::Withdraw { .. } if matches!(status, Some(404 | 409)) => Sent::Done { review: None },
        _ => Sent::Refused { why: said(&error) },
    }
}

async fn call(
    client: &ReflectClient,
    entry: &Entry,
    reviewer: Option<&str>,
    grace: Option<u32>,
) -> Result<Option<ReviewId>, Error> {
    let reviewer = reviewer.map(str::to_owned);
    match &entry.mail {
        Mail::Review { result, feedback, replace } => {
            let review = ReviewTrace {
                result: *result,
                feedback_text: feedback.clone(),
                alpha: None,
                reflection: None,
                replace: *replace,
                grace_seconds: Some(grace.unwrap_or(GRACE_SECONDS)),
                reviewer,
            };
            let trace = client.send_review_once(entry.trace, &review, entry.id).await?;
            Ok(trace.review.map(|review| review.id))
        }
        Mail::Withdraw { review } => {
            client.withdraw_review_once(entry.trace, *review, entry.id).await.map(|_| None)
        }
        Mail::Defer { seconds, note } => {
            let wish = DeferTrace { seconds: Some(*seconds), note: note.clone(), until: None, reviewer };
            client.defer_trace_once(entry.trace, &wish, entry.id).await.map(|_| None)
        }
    }
}

/// What stands there instead of ours.
async fn theirs(client: &ReflectClient, trace: TraceId) -> Option<Theirs> {
    let review = client.get_trace(trace).await.ok()?.review?;
    let reviewer = review.reviewer.strip_prefix("member:").unwrap_or(&review.reviewer).to_owned();
    Some(Theirs { reviewer, result: review.result, at: review.created_at })
}

/// An error without the name of the method: whoever reviews knows no methods.
pub(crate) fn said(error: &Error) -> String {
    match error {
        Error::Connection { base_url, .. } => format!("cannot reach {base_url}"),
        Error::Timeout { base_url, .. } => format!("{base_url} does not answer"),
        Error::Status(refusal) => refusal.message.clone(),
        other => other.to_string(),
    }
}
