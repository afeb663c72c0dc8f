//! Tokenisation of texts.

use std::path::Path;

use tokenizers::{Tokenizer, TruncationParams};

use crate::LoadError;
use crate::error::Cause;

/// The maximum number of bytes per token. A tokenizer reads the whole text before it truncates, so a very long text
/// would take very long. Prose needs five bytes per token, deeply indented code perhaps twenty.
const MOST_BYTES_PER_TOKEN: usize = 256;

/// Turns texts into tokens, at most as many as the model accepts.
pub(crate) struct Tokens {
    tokenizer: Tokenizer,
    most_bytes: usize,
}

impl Tokens {
    pub(crate) fn read(path: &Path, max_tokens: usize) -> Result<Self, LoadError> {
        let text =
            std::fs::read(path).map_err(|source| LoadError::ModelFile { path: path.to_owned(), source })?;
        let tokenizer = parse(&text, max_tokens).map_err(|source| LoadError::UnusableModel {
            path: path.to_owned(),
            expected: "it should be a tokenizer in the format of the `tokenizers` library",
            source,
        })?;
        Ok(Self { tokenizer, most_bytes: max_tokens * MOST_BYTES_PER_TOKEN })
    }

    pub(crate) fn encode(&self, prefix: &str, text: &str) -> Result<Vec<i64>, Cause> {
        let text = &text[..text.floor_char_boundary(self.most_bytes)];
        let encoded = if prefix.is_empty() {
            self.tokenizer.encode_fast(text, true)?
        } else {
            self.tokenizer.encode_fast(format!("{prefix}{text}"), true)?
        };
        Ok(encoded.get_ids().iter().copied().map(i64::from).collect())
    }
}

/// Replaces the truncation and padding settings of the published file: the model's limit applies, and batches are
/// padded elsewhere.
fn parse(text: &[u8], max_tokens: usize) -> Result<Tokenizer, Cause> {
    let mut tokenizer = Tokenizer::from_bytes(text)?;
    let truncation = TruncationParams { max_length: max_tokens, ..TruncationParams::default() };
    tokenizer.with_padding(None).with_truncation(Some(truncation))?;
    Ok(tokenizer)
}
