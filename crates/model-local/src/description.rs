//! `model.json`: the description of a model.

use std::path::Path;

use reflect_model::EmbedPurpose;
use serde::Deserialize;

use crate::LoadError;
use crate::error::Cause;

/// Fewer tokens would leave no room for words between the start and end tokens.
const LEAST_TOKENS: usize = 8;

/// Fields that are not read here, such as the licence, are for people.
#[derive(Debug, Deserialize)]
pub(crate) struct Description {
    pub(crate) name: String,
    /// The maximum length of a text in tokens. Longer texts are truncated.
    pub(crate) max_tokens: usize,
    /// Some models were trained with a prefix that states the purpose of a text.
    #[serde(default)]
    query_prefix: String,
    #[serde(default)]
    document_prefix: String,
}

impl Description {
    pub(crate) fn read(path: &Path) -> Result<Self, LoadError> {
        let text =
            std::fs::read(path).map_err(|source| LoadError::ModelFile { path: path.to_owned(), source })?;
        Self::parse(&text).map_err(|source| LoadError::UnusableModel {
            path: path.to_owned(),
            expected: "it should be a JSON object with the `name` of the model and `max_tokens`, the length of its \
                       longest text",
            source,
        })
    }

    fn parse(text: &[u8]) -> Result<Self, Cause> {
        let description: Self = serde_json::from_slice(text)?;
        if description.name.trim().is_empty() {
            return Err("`name` is empty".into());
        }
        if description.max_tokens < LEAST_TOKENS {
            return Err(format!("`max_tokens` is below {LEAST_TOKENS}").into());
        }
        Ok(description)
    }

    pub(crate) fn prefix(&self, purpose: EmbedPurpose) -> &str {
        match purpose {
            EmbedPurpose::Query => &self.query_prefix,
            EmbedPurpose::Document => &self.document_prefix,
        }
    }

    /// The fields that change vectors. They are part of the model's revision.
    pub(crate) fn fingerprint(&self) -> String {
        let Self { name: _, max_tokens, query_prefix, document_prefix } = self;
        format!("{max_tokens} {query_prefix:?} {document_prefix:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_empty_by_default_and_depend_on_the_purpose() {
        let plain = Description::parse(br#"{"name": "m", "max_tokens": 256, "license": "MIT"}"#).unwrap();
        let told =
            Description::parse(br#"{"name": "m", "max_tokens": 256, "query_prefix": "query: "}"#).unwrap();

        assert_eq!(plain.prefix(EmbedPurpose::Query), "");
        assert_eq!(told.prefix(EmbedPurpose::Query), "query: ");
        assert_eq!(told.prefix(EmbedPurpose::Document), "");
        assert_ne!(plain.fingerprint(), told.fingerprint());
    }

    #[test]
    fn an_invalid_description_is_refused() {
        for text in ["", "{}", r#"{"name": " ", "max_tokens": 256}"#, r#"{"name": "m", "max_tokens": 2}"#] {
            assert!(Description::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
