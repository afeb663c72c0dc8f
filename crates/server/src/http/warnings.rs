//! Warnings about a request that was accepted. They are sent in a header, because a body is a part of the contract.

use std::sync::{Arc, Mutex, PoisonError};

use axum::http::{HeaderName, HeaderValue};
use reflect_api::UnknownField;

/// The response header with the warning.
pub(crate) const WARNING: HeaderName = HeaderName::from_static("reflect-warning");
/// A longer name is cut.
const MAX_NAME_CHARS: usize = 80;

/// The warnings of one request. `responses` puts an empty list into the request and sends its content.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestWarnings(Arc<Mutex<Vec<String>>>);

impl RequestWarnings {
    /// Names the fields of the body that were ignored.
    pub(crate) fn unknown_fields(&self, fields: &[UnknownField], has_more: bool) {
        if !fields.is_empty() {
            self.add(text(fields, has_more));
        }
    }

    /// Adds a warning in visible ASCII.
    pub(crate) fn add(&self, text: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// All warnings, one header line each.
    pub(crate) fn headers(&self) -> Vec<HeaderValue> {
        let texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.iter().filter_map(|text| HeaderValue::from_str(text).ok()).collect()
    }
}

fn text(fields: &[UnknownField], has_more: bool) -> String {
    let names = fields.iter().map(|field| UnknownField { path: visible(&field.path), ..*field }.to_string());
    let names: Vec<String> = names.chain(has_more.then(|| "and more".to_owned())).collect();
    format!("unknown fields: {}", names.join(", "))
}

/// The name in visible ASCII. The client chose the name, so it may contain anything.
fn visible(path: &str) -> String {
    let shown = |letter: char| if letter.is_ascii_graphic() && letter != ',' { letter } else { '?' };
    let mut name: String = path.chars().take(MAX_NAME_CHARS).map(shown).collect();
    if path.chars().nth(MAX_NAME_CHARS).is_some() {
        name.push_str("...");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(path: &str, suggestion: Option<&'static str>) -> UnknownField {
        UnknownField { path: path.to_owned(), suggestion }
    }

    #[test]
    fn the_header_has_visible_ascii_of_limited_length() {
        let fields = [
            field("review.feedback", Some("feedback_text")),
            field("a\r\nx-evil: 1, é", None),
            field(&"x".repeat(100_000), None),
        ];
        let warnings = RequestWarnings::default();
        assert!(warnings.headers().is_empty());
        warnings.unknown_fields(&fields, true);

        let value = &warnings.headers()[0];
        let expected = format!(
            "unknown fields: review.feedback (did you mean feedback_text?), a??x-evil:?1???, {}..., and more",
            "x".repeat(MAX_NAME_CHARS)
        );
        assert_eq!(value.to_str().unwrap(), expected);
    }
}
