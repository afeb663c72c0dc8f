//! When a message was, how long it took and how many tokens, where that is said.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::fields::Object;

const TIMES: [&str; 6] = ["timestamp", "created_at", "createdAt", "at", "time", "ts"];
const DURATIONS: [&str; 3] = ["duration_ms", "latency_ms", "elapsed_ms"];
const USAGES: [&str; 3] = ["usage", "usage_metadata", "token_usage"];
/// Later than this a number counts milliseconds: as seconds it would be the year 5138.
const SECONDS_END: f64 = 1e11;

/// What a message says about itself.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Facts {
    pub(super) at: Option<DateTime<Utc>>,
    pub(super) duration_ms: Option<f64>,
    pub(super) tokens: Option<u64>,
}

/// Takes what can be read for certain; anything else stays where it is.
pub(super) fn take_facts(object: &mut Object) -> Facts {
    let mut facts = Facts::default();
    if let Some((name, at)) = TIMES.iter().find_map(|name| Some((*name, moment(object.get(*name)?)?))) {
        object.remove(name);
        facts.at = Some(at);
    }
    if let Some((name, ms)) = DURATIONS.iter().find_map(|name| Some((*name, object.get(*name)?.as_f64()?))) {
        object.remove(name);
        facts.duration_ms = Some(ms);
    }
    if let Some(tokens) = object.get("tokens").and_then(Value::as_u64) {
        object.remove("tokens");
        facts.tokens = Some(tokens);
    }
    // An account of usage says more than its sum, so it stays.
    let usage = || USAGES.iter().find_map(|name| object.get(*name)?.as_object());
    facts.tokens = facts.tokens.or_else(|| total(usage()?));
    facts
}

fn moment(value: &Value) -> Option<DateTime<Utc>> {
    match value {
        Value::String(text) => DateTime::parse_from_rfc3339(text).ok().map(|at| at.to_utc()),
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| *number > 0.0)?;
            let ms = if number < SECONDS_END { number * 1000.0 } else { number };
            (ms < 1e15).then(|| DateTime::from_timestamp_millis(ms as i64)).flatten()
        }
        _ => None,
    }
}

/// How many tokens an account of usage comes to, by any provider's names.
pub(crate) fn total(usage: &serde_json::Map<String, Value>) -> Option<u64> {
    let count = |names: &[&str]| names.iter().find_map(|name| usage.get(*name)?.as_u64());
    count(&["total_tokens", "totalTokenCount"]).or_else(|| {
        let input = count(&["input_tokens", "prompt_tokens", "promptTokenCount"]);
        let output = count(&["output_tokens", "completion_tokens", "candidatesTokenCount"]);
        Some(input.or(output)?.saturating_add(output.filter(|_| input.is_some()).unwrap_or_default()))
    })
}
