//! What an answer to a batch means for each of its runs.

use reflect_api::{BatchAnswer, BatchItem, ErrorBody};

use super::trouble::Health;
use crate::wire::Answer;

const LONGEST_MESSAGE: usize = 500;

/// What becomes of one run of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    Arrived,
    /// The server may do better next time.
    Again,
    /// The server will never take it, and says why.
    Rejected(String),
}

/// An answer, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reading {
    /// The server answered for each.
    Each(Vec<Fate>),
    /// It answered for the whole.
    Whole {
        /// Send fewer at a time: one of them makes the server refuse or fail.
        split: bool,
        health: Health,
        message: String,
    },
}

/// What an answer says about a batch of `count` runs.
pub(super) fn read(answer: &Answer, count: usize) -> Reading {
    if answer.status == 200 {
        return match serde_json::from_slice::<BatchAnswer>(&answer.body) {
            Ok(batch) if batch.results.len() == count => {
                Reading::Each(batch.results.into_iter().map(fate).collect())
            }
            _ => whole(false, Health::Busy, "the answer is not one of a Reflect server".to_owned()),
        };
    }
    let told = serde_json::from_slice::<ErrorBody>(&answer.body).ok();
    let words = told.map(|body| words(&body.error.code, &body.error.message)).unwrap_or_default();
    let message = format!("{} {words}", answer.status).trim_end().to_owned();
    match answer.status {
        // The body is at fault, so one of its runs is.
        400 | 413 | 422 => whole(true, Health::Good, message),
        500 => whole(true, Health::Busy, message),
        408 | 425 | 429 | 501.. => whole(false, Health::Busy, message),
        _ => whole(false, Health::Refusing, message),
    }
}

fn whole(split: bool, health: Health, message: String) -> Reading {
    Reading::Whole { split, health, message }
}

fn fate(item: BatchItem) -> Fate {
    match item {
        BatchItem::Stored(_) => Fate::Arrived,
        BatchItem::Refused { error } => match error.code.as_str() {
            "unavailable" | "overloaded" | "timeout" | "internal" | "provider_unavailable" => Fate::Again,
            code => Fate::Rejected(words(code, &error.message)),
        },
    }
}

fn words(code: &str, message: &str) -> String {
    format!("{code}: {message}").chars().take(LONGEST_MESSAGE).collect()
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;

    use super::*;

    fn reading(status: u16, body: &str, count: usize) -> Reading {
        read(&Answer { status, headers: HeaderMap::new(), body: body.to_owned().into() }, count)
    }

    #[test]
    fn each_run_has_its_own_fate() {
        let stored = r#"{"trace_id":"01a1dd7e-c49f-7379-b7f2-1b5ed60657ec","id":"01a1dd7e-c49f-7379-b7f2-1b5ed60657ec",
            "ingest_status":"completed","created_memory_id":null}"#;
        let refused =
            |code: &str| format!(r#"{{"error":{{"code":"{code}","message":"no","request_id":"r"}}}}"#);
        let body = format!(r#"{{"results":[{stored},{},{}]}}"#, refused("unavailable"), refused("conflict"));

        let fates = vec![Fate::Arrived, Fate::Again, Fate::Rejected("conflict: no".to_owned())];
        assert_eq!(reading(200, &body, 3), Reading::Each(fates));
        assert!(matches!(reading(200, &body, 2), Reading::Whole { health: Health::Busy, .. }));
    }

    #[test]
    fn an_answer_for_all_says_whether_to_split_wait_or_give_way() {
        for (status, split, health) in [
            (400, true, Health::Good),
            (413, true, Health::Good),
            (422, true, Health::Good),
            (500, true, Health::Busy),
            (429, false, Health::Busy),
            (503, false, Health::Busy),
            (504, false, Health::Busy),
            (401, false, Health::Refusing),
            (404, false, Health::Refusing),
            (301, false, Health::Refusing),
        ] {
            assert_eq!(reading(status, "", 1), whole(split, health, status.to_string()), "{status}");
        }
    }
}
