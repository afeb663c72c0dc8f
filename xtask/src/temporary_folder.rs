//! A temporary folder for one test or one documentation page. It is removed when it is dropped.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A new folder below the system's temporary folder.
pub(crate) struct TemporaryFolder {
    path: PathBuf,
}

impl TemporaryFolder {
    #[cfg(test)]
    pub(crate) fn create() -> Self {
        Self::make().unwrap()
    }

    pub(crate) fn make() -> anyhow::Result<Self> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("reflect-xtask-{}-{number}", std::process::id()));
        crate::cache::create_open_folder(&path)?;
        Ok(Self { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed must not fail a test that passed.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
