//! Converts the parts of a closed run to a run as clients send it. Pure.

use std::time::{Duration, SystemTime};

use reflect_store::{ClosedRun, OtlpId};
use reflect_trajectory::otel::{AssembledRun, RunAttributes, RunPart, assemble};
use reflect_types::RunKeyName;
use serde_json::{Map, Value, json};

use super::identity::otel_trace_id;
use crate::client_text::{LONGEST_TASK, SUBJECT};
use crate::intake::{RunTime, SubmittedRun};
use crate::run_keys;

const LONGEST_MODEL: usize = 1000;
/// The message of an error may have a stack trace.
const LONGEST_ERROR: usize = 2000;

/// Every call of a model repeats the conversation. A message may have one byte and takes fifty when it is read.
const MOST_MESSAGES_READ: usize = 1_000_000;
const NO_CONTENT: &str = "the spans have no messages and no tools";

/// The run, or why there is none.
pub(super) fn build(run: OtlpId, closed: &ClosedRun) -> Result<SubmittedRun, &'static str> {
    let assembled = assemble(parts(closed)?).ok_or(NO_CONTENT)?;
    let metadata = metadata(run, &assembled, closed.dropped);
    let trajectory = serde_json::value::to_raw_value(&assembled.messages).map_err(|_| NO_CONTENT)?;
    let at = |nanoseconds| SystemTime::UNIX_EPOCH + Duration::from_nanos(nanoseconds);
    let ran = Some(RunTime { start: at(assembled.start), end: at(assembled.end) });
    let retrieval_id = assembled.context.retrieval_id.as_ref().and_then(|id| id.parse().ok());
    Ok(SubmittedRun {
        trace_id: Some(closed.trace_id.as_uuid()),
        retrieval_id,
        model: assembled.model.map(|model| cut(model, LONGEST_MODEL)),
        metadata,
        keys: keys(run, &assembled.context),
        ran,
        ..SubmittedRun::new(cut(assembled.task, LONGEST_TASK), trajectory)
    })
}

fn parts(closed: &ClosedRun) -> Result<Vec<RunPart>, &'static str> {
    let (mut parts, mut messages) = (Vec::new(), 0);
    // A part that cannot be read was written by a later version.
    for part in closed.parts.iter().filter_map(|part| serde_json::from_str::<RunPart>(part).ok()) {
        messages += part.input.len() + part.output.len();
        if messages > MOST_MESSAGES_READ {
            return Err("the spans have more than 1,000,000 messages, with those that they repeat");
        }
        parts.push(part);
    }
    Ok(parts)
}

/// The keys by which signals find the run. A text that cannot be a key is only in the metadata.
fn keys(run: OtlpId, context: &RunAttributes) -> Vec<(RunKeyName, String)> {
    let keys = [
        (RunKeyName::otel_trace_id(), Some(otel_trace_id(run))),
        (RunKeyName::session(), context.session.clone()),
        (RunKeyName::conversation(), context.conversation.clone()),
    ];
    let keys = keys.into_iter().filter_map(|(name, value)| Some((name, value?)));
    keys.filter(|(name, value)| run_keys::check("keys", name, value).is_ok()).collect()
}

/// What spans say about a run besides its messages.
fn metadata(run: OtlpId, assembled: &AssembledRun, dropped: u64) -> Map<String, Value> {
    let context = &assembled.context;
    let mut metadata = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            metadata.insert(name.to_owned(), value);
        }
    };
    put("source", Some("opentelemetry".into()));
    put("otel_trace_id", Some(otel_trace_id(run).into()));
    for (name, value) in [
        ("session", &context.session),
        ("conversation", &context.conversation),
        ("agent", &context.agent),
        ("service", &context.service),
        (SUBJECT, &context.user),
    ] {
        put(name, value.clone().map(Value::from));
    }
    put("error", assembled.error.clone().map(|error| cut(error, LONGEST_ERROR).into()));
    put("usage", assembled.usage.and_then(|usage| serde_json::to_value(usage).ok()));
    put("dropped_spans", (dropped > 0).then(|| json!(dropped)));
    metadata
}

/// At most this many bytes.
pub(super) fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        text.truncate(end);
    }
    text
}
