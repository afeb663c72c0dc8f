//! The programs of Postgres, such as `pg_dump`, in the cache.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::cluster::cache_part;

/// The folder with the programs.
pub fn postgres_programs() -> anyhow::Result<PathBuf> {
    let part = cache_part("postgres")?;
    find(&part).with_context(|| format!("there is no pg_dump below {}", part.display()))
}

fn find(folder: &Path) -> Option<PathBuf> {
    if folder.join("pg_dump").is_file() {
        return Some(folder.to_owned());
    }
    let entries = std::fs::read_dir(folder).ok()?;
    entries.flatten().filter(|entry| entry.path().is_dir()).find_map(|entry| find(&entry.path()))
}
