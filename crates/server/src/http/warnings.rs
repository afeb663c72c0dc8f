//! Warnings about a request that was accepted. They are sent in a header, because a body is a part of the contract.

use std::sync::{Arc, OnceLock};

use axum::http::{HeaderName, HeaderValue};
use reflect_api::UnknownField;

/// The response header with the warning.
pub(crate) const WARNING: HeaderName = HeaderName::from_static("reflect-warning");
/// A longer name is cut.
const MAX_NAME_CHARS: usize = 80;

/// The warning of one request. `responses` puts an empty one into the request and sends its content.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestWarnings(Arc<OnceLock<HeaderValue>>);

impl RequestWarnings {
    /// Names the fields of the body that were ignored.
    pub(crate) fn unknown_fields(&self, fields: &[UnknownField], has_more: bool) {
        if !fields.is_empty()
            && let Ok(value) = HeaderValue::from_str(&text(fields, has_more))
        {
            // A request has one body, so this is the first warning.
            let _ = self.0.set(value);
        }
    }

    pub(crate) fn header(&self) -> Option<HeaderValue> {
        self.0.get().cloned()
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
        assert!(warnings.header().is_none());
        warnings.unknown_fields(&fields, true);

        let value = warnings.header().unwrap();
        let expected = format!(
            "unknown fields: review.feedback (did you mean feedback_text?), a??x-evil:?1???, {}..., and more",
            "x".repeat(MAX_NAME_CHARS)
        );
        assert_eq!(value.to_str().unwrap(), expected);
    }
}
