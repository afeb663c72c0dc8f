//! What a server turned out not to take.
//!
//! Servers that speak the same protocol differ in two things: some models refuse every temperature, some
//! servers know no JSON schemas. Neither can be asked beforehand. So a call that is refused for one of them is
//! made again without it, and later calls leave it out from the start.

use std::sync::atomic::{AtomicBool, Ordering};

use genai::chat::{ChatOptions, ChatResponseFormat};

use crate::failure::body_of;

/// What the server refused so far.
#[derive(Default)]
pub(crate) struct Refusals {
    temperature: AtomicBool,
    limits: AtomicBool,
    schema: AtomicBool,
}

/// What the errors of different servers call a schema.
const SCHEMA_WORDS: [&str; 6] = [
    "response_format",
    "json_schema",
    "json schema",
    "responsejsonschema",
    "output_config",
    "structured output",
];

impl Refusals {
    pub(crate) fn takes_temperature(&self) -> bool {
        !self.temperature.load(Ordering::Relaxed)
    }

    pub(crate) fn takes_limits(&self) -> bool {
        !self.limits.load(Ordering::Relaxed)
    }

    pub(crate) fn takes_schema(&self) -> bool {
        !self.schema.load(Ordering::Relaxed)
    }

    /// What was sent, is refused, and can be done without. It is remembered.
    pub(crate) fn learn(&self, sent: &ChatOptions, error: &genai::Error) -> Option<&'static str> {
        // The request itself is refused, not the key or the model.
        if !matches!(error.status()?.as_u16(), 400 | 422) {
            return None;
        }
        let said = body_of(error)?.to_lowercase();
        if sent.temperature.is_some() && said.contains("temperature") {
            self.temperature.store(true, Ordering::Relaxed);
            return Some("temperature");
        }
        if sent.response_format.is_some() && SCHEMA_WORDS.iter().any(|word| said.contains(word)) {
            // Perhaps only the words in it that say how long an answer may be.
            if limited(sent) && self.takes_limits() {
                self.limits.store(true, Ordering::Relaxed);
                return Some("the limits of the JSON schema");
            }
            self.schema.store(true, Ordering::Relaxed);
            return Some("JSON schema");
        }
        None
    }
}

fn limited(sent: &ChatOptions) -> bool {
    match &sent.response_format {
        Some(ChatResponseFormat::JsonSpec(spec)) => spec.schema.to_string().contains("\"maxLength\""),
        _ => false,
    }
}
