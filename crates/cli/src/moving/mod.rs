//! Packs on disk: exports, imports and compares a project.
//!
//! The engine defines the format of a pack; the store reads and writes the rows.

mod encryption;
mod export;
mod folder;
mod import;
mod progress;
mod verify;

pub(crate) use encryption::{Identities, Recipients};
pub(crate) use export::export;
pub(crate) use folder::PackFolder;
pub(crate) use import::{discard, import};
pub(crate) use verify::{print_keys, print_verification, verify};

/// Formats bytes as megabytes.
pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
