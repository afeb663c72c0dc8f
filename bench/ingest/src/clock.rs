//! The clock of processes, with libfaketime: it can jump while they run.

use std::path::{Path, PathBuf};

use crate::cluster::cache_part;

/// A clock, in a file that libfaketime reads. It jumps for all processes with its variables at the same time.
#[derive(Debug)]
pub struct Clock {
    file: PathBuf,
    libraries: PathBuf,
}

impl Clock {
    /// A clock that shows the true time.
    pub fn create(file: PathBuf) -> anyhow::Result<Self> {
        let clock = Self { file, libraries: cache_part("faketime")? };
        clock.set(0)?;
        Ok(clock)
    }

    /// Lets the clock jump to so many seconds after the true time.
    pub fn set(&self, ahead: i64) -> anyhow::Result<()> {
        // Renamed, so that a reader never sees half of it.
        let unfinished = self.file.with_extension("unfinished");
        std::fs::write(&unfinished, format!("{ahead:+}\n"))?;
        Ok(std::fs::rename(unfinished, &self.file)?)
    }

    /// The environment variables of a process with several threads.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        self.variables_with("libfaketimeMT.so.1")
    }

    /// The same for Postgres, whose processes have one thread. Its signal handlers read the clock, also while it is being read,
    /// which must not wait for a lock.
    pub fn postgres_variables(&self) -> Vec<(&'static str, String)> {
        self.variables_with("libfaketime.so.1")
    }

    /// Timers use the monotonic clock, which does not jump on a real machine either.
    fn variables_with(&self, library: &str) -> Vec<(&'static str, String)> {
        let text = |path: &Path| path.display().to_string();
        vec![
            ("LD_PRELOAD", text(&self.libraries.join(library))),
            ("FAKETIME_TIMESTAMP_FILE", text(&self.file)),
            ("FAKETIME_NO_CACHE", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
            ("DONT_FAKE_MONOTONIC", "1".to_owned()),
            // Times of files are true.
            ("NO_FAKE_STAT", "1".to_owned()),
        ]
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}
