//! Packs on the disk: how a project is written into a folder, read from one, and compared with one.
//!
//! What a pack is and what follows from its parts is decided in the engine; rows come from and go to the store.

mod export;
mod folder;
mod import;
mod progress;
mod verify;

pub(crate) use export::export;
pub(crate) use folder::PackFolder;
pub(crate) use import::{discard, import};
pub(crate) use verify::{print_keys, print_verification, verify};

/// Bytes as people read them.
pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
