//! Signals and votes as clients send them, and what is refused about them.

use chrono::{DateTime, TimeDelta, Utc};
use reflect_store::{NewSignal, SignalOnce, SignalSender, SignalSubject};
use reflect_types::{
    ReviewResult, RunKeyName, SignalId, SignalReport, SignalSource, TraceId, Trust, json_cost,
};
use serde_json::{Map, Value};

use crate::client_text::{ProjectRedactor, storable, storable_fields};
use crate::error::EngineError;
use crate::run_keys;

/// In bytes. A model reads a comment that becomes feedback.
const LONGEST_COMMENT: usize = 16 * 1024;
/// In bytes. The comment of a vote is shown to reviewers.
const LONGEST_VOTE_COMMENT: usize = 2_000;
const LONGEST_URL: usize = 2_000;
const LONGEST_IDEMPOTENCY_KEY: usize = 255;
const LARGEST_METADATA: usize = 4 * 1024;
const MOST_METADATA_VALUES: usize = 50;
/// How far ahead of the server a client's clock may be.
const AHEAD: TimeDelta = TimeDelta::minutes(5);
/// Runs are found by a key in the 30 days before a signal, and are kept for 180 days.
const OLDEST: TimeDelta = TimeDelta::days(365);

/// A signal as a client sends it.
#[derive(Debug, Clone)]
pub struct SubmittedSignal {
    /// The system that it comes from.
    pub source: SignalSource,
    /// The run that it is about. `Some(None)` if the id is not valid.
    pub trace: Option<Option<TraceId>>,
    /// The key of the runs that it is about.
    pub key: Option<(RunKeyName, String)>,
    /// The result.
    pub outcome: Option<ReviewResult>,
    /// The score.
    pub score: Option<f64>,
    /// When it happened. `None` for now.
    pub occurred_at: Option<DateTime<Utc>>,
    /// Tells a repeated signal from a new one.
    pub idempotency_key: Option<String>,
    /// A comment.
    pub comment: Option<String>,
    /// Where to read more.
    pub url: Option<String>,
    /// Any data to show with it.
    pub metadata: Map<String, Value>,
}

/// The vote of a feedback token as a client sends it.
#[derive(Debug, Clone)]
pub struct FeedbackVote {
    /// The result.
    pub outcome: Option<ReviewResult>,
    /// The score.
    pub score: Option<f64>,
    /// A comment for reviewers.
    pub comment: Option<String>,
}

impl SubmittedSignal {
    /// The signal to store. Texts are redacted.
    pub(super) fn prepare(
        self,
        redactor: &mut ProjectRedactor,
        sender: SignalSender,
        now: DateTime<Utc>,
    ) -> Result<NewSignal, EngineError> {
        let once = self.once(sender)?;
        let report = report(self.outcome, self.score)?;
        let occurred_at = occurred_at(self.occurred_at, now)?;
        check_text("comment", self.comment.as_deref(), LONGEST_COMMENT)?;
        check_url(self.url.as_deref())?;
        check_metadata(&self.metadata)?;
        let subject = match (self.trace, self.key) {
            (Some(Some(trace)), None) => SignalSubject::Trace(trace),
            (Some(None), None) => return Err(EngineError::invalid("trace_id", "must be the id of a trace")),
            (None, Some((name, value))) => {
                run_keys::check("key", &name, &value)?;
                SignalSubject::Key { value: run_keys::redacted(redactor, "key", value)?, name }
            }
            (None, None) | (Some(_), Some(_)) => {
                return Err(EngineError::invalid("trace_id", "or key must be there, and not both"));
            }
        };
        let metadata = redactor.fields("metadata", self.metadata)?;
        Ok(NewSignal {
            signal_id: SignalId::generate(),
            source: self.source,
            subject,
            report,
            occurred_at,
            comment: text(redactor.optional("comment", self.comment)?),
            url: redactor.optional("url", self.url)?.map(storable),
            metadata: (!metadata.is_empty()).then(|| Value::Object(storable_fields(metadata))),
            once,
        })
    }

    /// The digests of the idempotency key and of everything else that was sent. Lengths are included, so different signals
    /// have different input. An untrusted key has idempotency keys of its own, so it cannot take those of others.
    fn once(&self, sender: SignalSender) -> Result<Option<SignalOnce>, EngineError> {
        let Some(key) = &self.idempotency_key else { return Ok(None) };
        if key.is_empty() || key.len() > LONGEST_IDEMPOTENCY_KEY {
            return Err(EngineError::invalid("idempotency_key", "must have 1 to 255 bytes"));
        }
        let mut parts = Digest::new();
        let own = (sender.trust == Trust::Untrusted).then(|| sender.key_id.to_string());
        parts.add(Some(self.source.as_str())).add(Some(key)).add(own.as_deref());
        let mut content = Digest::new();
        content
            .add(self.trace.map(|trace| trace.map_or_else(String::new, |id| id.to_string())).as_deref())
            .add(self.key.as_ref().map(|(name, _)| name.as_str()))
            .add(self.key.as_ref().map(|(_, value)| value.as_str()))
            .add(self.outcome.map(ReviewResult::as_str))
            .add(self.score.map(|score| score.to_string()).as_deref())
            .add(self.occurred_at.map(|at| at.to_rfc3339()).as_deref())
            .add(self.comment.as_deref())
            .add(self.url.as_deref())
            .add(serde_json::to_string(&self.metadata).ok().as_deref());
        Ok(Some(SignalOnce { key: parts.finish(), content: content.finish() }))
    }
}

struct Digest(blake3::Hasher);

impl Digest {
    fn new() -> Self {
        Self(blake3::Hasher::new())
    }

    fn add(&mut self, part: Option<&str>) -> &mut Self {
        self.0.update(&part.map_or(u64::MAX, |text| text.len() as u64).to_be_bytes());
        self.0.update(part.unwrap_or_default().as_bytes());
        self
    }

    fn finish(&self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

impl FeedbackVote {
    /// What the vote reports, and its comment. Texts are redacted.
    pub(super) fn prepare(
        self,
        redactor: &mut ProjectRedactor,
    ) -> Result<(SignalReport, Option<String>), EngineError> {
        let report = report(self.outcome, self.score)?;
        check_text("comment", self.comment.as_deref(), LONGEST_VOTE_COMMENT)?;
        Ok((report, text(redactor.optional("comment", self.comment)?)))
    }
}

fn report(outcome: Option<ReviewResult>, score: Option<f64>) -> Result<SignalReport, EngineError> {
    match (outcome, score) {
        (Some(outcome), None) => Ok(SignalReport::Outcome(outcome)),
        (None, Some(score)) if (0.0..=1.0).contains(&score) => Ok(SignalReport::Score(score)),
        (None, Some(_)) => Err(EngineError::invalid("score", "must lie between 0 and 1")),
        (None, None) | (Some(_), Some(_)) => {
            Err(EngineError::invalid("outcome", "or score must be there, and not both"))
        }
    }
}

fn occurred_at(sent: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Result<DateTime<Utc>, EngineError> {
    match sent {
        None => Ok(now),
        Some(at) if at > now + AHEAD => Err(EngineError::invalid("occurred_at", "must not be in the future")),
        Some(at) if at < now - OLDEST => {
            Err(EngineError::invalid("occurred_at", "must not be more than a year ago"))
        }
        // Of a clock that is a little ahead.
        Some(at) => Ok(at.min(now)),
    }
}

fn check_text(field: &'static str, text: Option<&str>, longest: usize) -> Result<(), EngineError> {
    match text {
        Some(text) if text.len() > longest => {
            Err(EngineError::invalid(field, format!("must not be longer than {longest} bytes")))
        }
        _ => Ok(()),
    }
}

/// The console shows it as a link.
fn check_url(url: Option<&str>) -> Result<(), EngineError> {
    let Some(url) = url else { return Ok(()) };
    check_text("url", Some(url), LONGEST_URL)?;
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    if !is_web || url.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(EngineError::invalid("url", "must begin with https:// or http:// and contain no spaces"));
    }
    Ok(())
}

fn check_metadata(metadata: &Map<String, Value>) -> Result<(), EngineError> {
    let text = serde_json::to_string(metadata).map_err(|error| EngineError::invalid("metadata", error))?;
    if text.len() > LARGEST_METADATA || json_cost(text.as_bytes()).exceeds(MOST_METADATA_VALUES) {
        return Err(EngineError::invalid(
            "metadata",
            "must not be larger than 4 kB or have more than 50 values",
        ));
    }
    Ok(())
}

/// A comment as it is stored. An empty one is none.
fn text(comment: Option<String>) -> Option<String> {
    comment.map(storable).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_types::KeyId;

    const SENDER: SignalSender =
        SignalSender { key_id: KeyId::from_uuid(uuid::Uuid::nil()), trust: Trust::Normal };

    fn signal() -> SubmittedSignal {
        SubmittedSignal {
            source: "ci".parse().unwrap(),
            trace: Some(Some(TraceId::generate())),
            key: None,
            outcome: Some(ReviewResult::Pass),
            score: None,
            occurred_at: None,
            idempotency_key: Some("build 7".to_owned()),
            comment: None,
            url: None,
            metadata: Map::new(),
        }
    }

    #[test]
    fn a_signal_reports_a_result_or_a_score() {
        assert!(report(Some(ReviewResult::Fail), None).is_ok());
        assert_eq!(report(None, Some(0.5)).unwrap(), SignalReport::Score(0.5));
        for (outcome, score) in
            [(None, None), (Some(ReviewResult::Pass), Some(1.0)), (None, Some(1.1)), (None, Some(f64::NAN))]
        {
            assert!(report(outcome, score).is_err(), "{outcome:?} {score:?}");
        }
    }

    #[test]
    fn a_time_may_be_a_little_ahead_and_not_in_the_future() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        assert_eq!(occurred_at(None, now).unwrap(), now);
        assert_eq!(occurred_at(Some(now + TimeDelta::minutes(4)), now).unwrap(), now);
        assert!(occurred_at(Some(now + TimeDelta::minutes(6)), now).is_err());
        assert!(occurred_at(Some(now - TimeDelta::days(366)), now).is_err());
        let hour_ago = now - TimeDelta::hours(1);
        assert_eq!(occurred_at(Some(hour_ago), now).unwrap(), hour_ago);
    }

    #[test]
    fn a_link_leads_to_the_web() {
        assert!(check_url(Some("https://ci.example/build/7?a=b")).is_ok());
        for bad in ["javascript:alert(1)", "ci.example", "https://a b", "https://a\nb", ""] {
            assert!(check_url(Some(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_same_key_of_another_source_is_another_key_and_any_change_is_another_content() {
        let SignalOnce { key, content } = signal().once(SENDER).unwrap().unwrap();
        let other = SubmittedSignal { source: "tests".parse().unwrap(), ..signal() };
        assert_ne!(other.once(SENDER).unwrap().unwrap().key, key);
        let same_run = signal();
        let first = same_run.once(SENDER).unwrap().unwrap();
        assert_ne!(content, first.content, "another run");
        for changed in [
            SubmittedSignal { outcome: Some(ReviewResult::Fail), ..same_run.clone() },
            SubmittedSignal { outcome: None, score: Some(1.0), ..same_run.clone() },
            SubmittedSignal { comment: Some(String::new()), ..same_run.clone() },
            SubmittedSignal { url: Some("https://a".to_owned()), ..same_run.clone() },
            SubmittedSignal { occurred_at: DateTime::from_timestamp(0, 0), ..same_run.clone() },
        ] {
            let once = changed.once(SENDER).unwrap().unwrap();
            assert!(once.key == key && once.content != first.content, "{changed:?}");
        }
        let untrusted = |id| SignalSender {
            key_id: KeyId::from_uuid(uuid::Uuid::from_u128(id)),
            trust: Trust::Untrusted,
        };
        let of = |sender| same_run.once(sender).unwrap().unwrap().key;
        assert!(of(untrusted(1)) != key && of(untrusted(1)) != of(untrusted(2)));
        assert_eq!(SubmittedSignal { idempotency_key: None, ..signal() }.once(SENDER).unwrap(), None);
        assert!(SubmittedSignal { idempotency_key: Some(String::new()), ..signal() }.once(SENDER).is_err());
    }
}
