//! Signed ends of chains as text: the server's log contains them, and copies outside of the database show whether the newest
//! entries and their signatures were removed together.

use chrono::DateTime;
use reflect_store::{ChainEnd, SignedHead};
use reflect_types::ProjectId;

use crate::hex;

const PREFIX: &str = "audit-head-1:";

/// A text that begins like a signed end and is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} contains a damaged signature: {text}")]
pub struct MalformedHead {
    /// The number of the line, from 1.
    pub line: usize,
    /// The text.
    pub text: String,
}

/// The text of a signed end.
pub fn head_text(head: &SignedHead) -> String {
    format!(
        "{PREFIX}{}:{}:{}:{}:{}:{}",
        head.end.chain.number(),
        head.end.sequence,
        hex::encode(&head.end.hash),
        head.signed_at.timestamp_micros(),
        head.key_id,
        hex::encode(&head.signature)
    )
}

/// Finds all signed ends in a text, for example in a log.
pub fn find_heads(text: &str) -> Result<Vec<SignedHead>, MalformedHead> {
    let mut heads = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for (at, _) in line.match_indices(PREFIX) {
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || ":-".contains(letter);
            let word = line[at..].split(|letter| !is_part(letter)).next().unwrap_or_default();
            let damaged = || MalformedHead { line: index + 1, text: word.to_owned() };
            heads.push(parse(word).ok_or_else(damaged)?);
        }
    }
    Ok(heads)
}

fn parse(text: &str) -> Option<SignedHead> {
    let mut parts = text.strip_prefix(PREFIX)?.split(':');
    let mut next = || parts.next();
    let chain = ProjectId::new(next()?.parse().ok()?);
    let sequence = next()?.parse().ok()?;
    let hash = hex::decode_array(next()?)?;
    let signed_at = DateTime::from_timestamp_micros(next()?.parse().ok()?)?;
    let key_id = next()?.to_owned();
    let signature = hex::decode(next()?)?;
    Some(SignedHead { end: ChainEnd { chain, sequence, hash }, signed_at, key_id, signature })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_found_in_a_log() {
        let head = SignedHead {
            end: ChainEnd { chain: ProjectId::new(3), sequence: 41, hash: [7; 32] },
            signed_at: DateTime::from_timestamp_micros(1_700_000_000_000_001).unwrap(),
            key_id: "0011223344556677".into(),
            signature: vec![9; 64],
        };
        let text = head_text(&head);
        let log =
            format!("{{\"message\":\"other\"}}\n{{\"head\":\"{text}\",\"message\":\"signed\"}}\n{text}");
        assert_eq!(find_heads(&log), Ok(vec![head.clone(), head]));
        assert_eq!(find_heads("nothing"), Ok(vec![]));
        assert_eq!(find_heads("\naudit-head-1:3:x").unwrap_err().line, 2);
    }
}
