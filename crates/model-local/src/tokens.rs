//! From texts to the numbers that a network reads.

use std::path::Path;

use tokenizers::{Tokenizer, TruncationParams};

use crate::LoadError;
use crate::error::Cause;

/// A tokenizer reads a text to its end before it cuts, so an endless text would take endless time. No real
/// text needs this many bytes for a token: prose needs five, deeply indented code perhaps twenty.
const MOST_BYTES_PER_TOKEN: usize = 256;

/// Turns texts into tokens, at most as many as the model can read.
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

/// Published files cut and fill as their authors happened to need it; here the model's limit counts, and
/// filling is the batch's business.
fn parse(text: &[u8], max_tokens: usize) -> Result<Tokenizer, Cause> {
    let mut tokenizer = Tokenizer::from_bytes(text)?;
    let truncation = TruncationParams { max_length: max_tokens, ..TruncationParams::default() };
    tokenizer.with_padding(None).with_truncation(Some(truncation))?;
    Ok(tokenizer)
}
