//! Parses the response to a batch into a result for each run.

use reflect_api::{BatchAnswer, BatchItem, ErrorBody};

use super::server_status::ServerStatus;
use crate::wire::Answer;

const MAX_MESSAGE_CHARS: usize = 500;

/// The result of one run of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TraceResult {
    Stored,
    /// A retry can succeed.
    Retry,
    /// The server will never accept the run. Contains the reason.
    Rejected(String),
}

/// A parsed response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BatchResponse {
    /// One result for each run.
    PerTrace(Vec<TraceResult>),
    /// One error for the whole batch.
    Whole {
        /// Send smaller batches, because one run makes the server reject the batch or fail.
        split: bool,
        status: ServerStatus,
        message: String,
    },
}

/// Parses the response to a batch of `count` runs.
pub(super) fn parse(answer: &Answer, count: usize) -> BatchResponse {
    if answer.status == 200 {
        return match serde_json::from_slice::<BatchAnswer>(&answer.body) {
            Ok(batch) if batch.results.len() == count => {
                BatchResponse::PerTrace(batch.results.into_iter().map(trace_result).collect())
            }
            _ => whole(
                false,
                ServerStatus::Busy,
                "the response does not come from a Reflect server".to_owned(),
            ),
        };
    }
    let parsed = serde_json::from_slice::<ErrorBody>(&answer.body).ok();
    let reason = parsed.map(|body| describe(&body.error.code, &body.error.message)).unwrap_or_default();
    let message = format!("{} {reason}", answer.status).trim_end().to_owned();
    match answer.status {
        // The body is invalid, so at least one of its runs is.
        400 | 413 | 422 => whole(true, ServerStatus::Available, message),
        500 => whole(true, ServerStatus::Busy, message),
        408 | 425 | 429 | 501.. => whole(false, ServerStatus::Busy, message),
        _ => whole(false, ServerStatus::Denied, message),
    }
}

fn whole(split: bool, status: ServerStatus, message: String) -> BatchResponse {
    BatchResponse::Whole { split, status, message }
}

fn trace_result(item: BatchItem) -> TraceResult {
    match item {
        BatchItem::Stored(_) => TraceResult::Stored,
        BatchItem::Refused { error } => match error.code.as_str() {
            "unavailable" | "overloaded" | "timeout" | "internal" | "provider_unavailable" => {
                TraceResult::Retry
            }
            code => TraceResult::Rejected(describe(code, &error.message)),
        },
    }
}

fn describe(code: &str, message: &str) -> String {
    format!("{code}: {message}").chars().take(MAX_MESSAGE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;

    use super::*;

    fn response(status: u16, body: &str, count: usize) -> BatchResponse {
        parse(&Answer { status, headers: HeaderMap::new(), body: body.to_owned().into() }, count)
    }

    #[test]
    fn each_run_has_its_own_fate() {
        let stored = r#"{"trace_id":"01a1dd7e-c49f-7379-b7f2-1b5ed60657ec","id":"01a1dd7e-c49f-7379-b7f2-1b5ed60657ec",
            "ingest_status":"completed","created_memory_id":null}"#;
        let refused =
            |code: &str| format!(r#"{{"error":{{"code":"{code}","message":"no","request_id":"r"}}}}"#);
        let body = format!(r#"{{"results":[{stored},{},{}]}}"#, refused("unavailable"), refused("conflict"));

        let results =
            vec![TraceResult::Stored, TraceResult::Retry, TraceResult::Rejected("conflict: no".to_owned())];
        assert_eq!(response(200, &body, 3), BatchResponse::PerTrace(results));
        assert!(matches!(response(200, &body, 2), BatchResponse::Whole { status: ServerStatus::Busy, .. }));
    }

    #[test]
    fn an_answer_for_all_says_whether_to_split_wait_or_give_way() {
        for (code, split, status) in [
            (400, true, ServerStatus::Available),
            (413, true, ServerStatus::Available),
            (422, true, ServerStatus::Available),
            (500, true, ServerStatus::Busy),
            (429, false, ServerStatus::Busy),
            (503, false, ServerStatus::Busy),
            (504, false, ServerStatus::Busy),
            (401, false, ServerStatus::Denied),
            (404, false, ServerStatus::Denied),
            (301, false, ServerStatus::Denied),
        ] {
            assert_eq!(response(code, "", 1), whole(split, status, code.to_string()), "{code}");
        }
    }
}
