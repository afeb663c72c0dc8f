//! Files of the state that other hooks read at the same time: they see a whole file or none.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::private_file;

/// Reads a JSON file. `None` if it does not exist or is of another version of this program.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Replaces a JSON file. Readers see the old file or the new one.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> anyhow::Result<()> {
    let hidden = hidden_beside(path);
    fill(&hidden, &serde_json::to_vec(value)?)?;
    fs::rename(&hidden, path).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a file, unless another process has written it first. It is on the disk before it has its name: a key that is empty
/// after a power failure would end all hooks.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let hidden = hidden_beside(path);
    fill(&hidden, bytes)?.sync_all().with_context(|| format!("cannot write {}", hidden.display()))?;
    let linked = fs::hard_link(&hidden, path);
    fs::remove_file(&hidden)?;
    match linked {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        linked => linked.with_context(|| format!("cannot write {}", path.display())),
    }
}

fn fill(path: &Path, bytes: &[u8]) -> anyhow::Result<File> {
    let mut file: File =
        private_file::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    file.write_all(bytes).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(file)
}

fn hidden_beside(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}.new", Uuid::now_v7().simple()))
}
