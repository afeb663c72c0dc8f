//! Request features that a server does not support.
//!
//! Servers with the same protocol differ: some models reject every temperature, some servers do not support JSON schemas.
//! Neither can be queried. A call that is rejected for one of them is retried without it, and later calls omit it.

use std::sync::atomic::{AtomicBool, Ordering};

use genai::chat::{ChatOptions, ChatResponseFormat};

use crate::failure::body_of;

/// The features that the server rejected so far.
#[derive(Default)]
pub(crate) struct Refusals {
    temperature: AtomicBool,
    limits: AtomicBool,
    schema: AtomicBool,
}

/// Words for a schema in the errors of different servers.
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

    /// The rejected feature of the request, if a retry without it is possible. It is remembered.
    pub(crate) fn learn(&self, sent: &ChatOptions, error: &genai::Error) -> Option<&'static str> {
        // The request is rejected, not the key or the model.
        if !matches!(error.status()?.as_u16(), 400 | 422) {
            return None;
        }
        let said = body_of(error)?.to_lowercase();
        if sent.temperature.is_some() && said.contains("temperature") {
            self.temperature.store(true, Ordering::Relaxed);
            return Some("temperature");
        }
        if sent.response_format.is_some() && SCHEMA_WORDS.iter().any(|word| said.contains(word)) {
            // The server may reject only the length limits in the schema.
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
