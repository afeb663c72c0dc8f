//! A trajectory as a line of a pack: plain text, because a pack must be readable without Reflect.
//!
//! The table stores bytes, compressed or not, encrypted or not. The line records which, so the import restores the same bytes.

use std::io::Read;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::StoreError;
use crate::hex::{from_hex, to_hex};
use crate::sealing::{SealedColumn, Sealer};

/// The first bytes of a compressed body.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The level of new bodies.
const LEVEL: i32 = 1;
/// Trajectories have at most 32 MB; a larger body is invalid.
const LARGEST: u64 = 64 * 1024 * 1024;

/// As the database gives it.
#[derive(Serialize, Deserialize)]
struct Stored {
    trace_id: Uuid,
    body: String,
}

/// As it is in a pack. The order of the fields is part of the format.
#[derive(Serialize, Deserialize)]
struct Readable {
    trace_id: Uuid,
    compressed: bool,
    trajectory: String,
}

/// The line with the trajectory as text.
pub(super) fn readable(sealer: &Sealer, line: &str) -> Result<String, StoreError> {
    let stored: Stored = serde_json::from_str(line).map_err(corrupt)?;
    let bytes = stored.body.strip_prefix("\\x").and_then(from_hex).ok_or_else(|| corrupt(()))?;
    let bytes = sealer.open_bytes(SealedColumn::TraceBody.of(stored.trace_id), &bytes)?;
    let compressed = bytes.starts_with(&ZSTD_MAGIC);
    let plain = if compressed { decompress(&bytes)? } else { bytes.into_owned() };
    let trajectory = String::from_utf8(plain).map_err(corrupt)?;
    serde_json::to_string(&Readable { trace_id: stored.trace_id, compressed, trajectory }).map_err(corrupt)
}

/// The line with the trajectory as it is stored.
pub(super) fn stored(sealer: &Sealer, line: &str) -> Result<String, StoreError> {
    let readable: Readable = serde_json::from_str(line).map_err(corrupt)?;
    let plain = readable.trajectory.into_bytes();
    let bytes =
        if readable.compressed { zstd::bulk::compress(&plain, LEVEL).map_err(corrupt)? } else { plain };
    let bytes = sealer.seal_bytes(SealedColumn::TraceBody.of(readable.trace_id), &bytes)?;
    let stored = Stored { trace_id: readable.trace_id, body: format!("\\x{}", to_hex(&bytes)) };
    serde_json::to_string(&stored).map_err(corrupt)
}

fn corrupt<E>(_: E) -> StoreError {
    StoreError::Corrupt { what: "trajectory" }
}

fn decompress(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    let mut plain = Vec::new();
    let decoder = zstd::Decoder::new(bytes).map_err(corrupt)?;
    decoder.take(LARGEST).read_to_end(&mut plain).map_err(corrupt)?;
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Body;
    use reflect_types::ProjectId;

    const OFF: Sealer = Sealer::off(ProjectId::new(1));

    #[test]
    fn short_and_long_trajectories_come_back_as_they_were_stored() {
        for text in ["[]".to_owned(), format!("[\n\"{}\"]", "é and \\n ".repeat(200))] {
            let body = Body::encode(&text);
            let line = Stored { trace_id: Uuid::nil(), body: format!("\\x{}", to_hex(body.stored_bytes())) };
            let line = serde_json::to_string(&line).expect("a line");

            let shown = readable(&OFF, &line).expect("it can be read");

            assert!(!shown.contains('\n'), "{shown}");
            let read: Readable = serde_json::from_str(&shown).expect("JSON");
            assert_eq!(read.trajectory, text);
            assert_eq!(stored(&OFF, &shown).expect("it can be stored"), line);
        }
    }

    #[test]
    fn what_is_no_body_is_refused() {
        for body in ["", "7b", "\\x7", "\\xzz", "\\xff"] {
            let line = serde_json::json!({ "trace_id": Uuid::nil(), "body": body }).to_string();
            assert!(readable(&OFF, &line).is_err(), "{body}");
        }
    }
}
