//! What was ended where. The figures of several invocations add up in a file.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};

/// The figures of a run, or of several.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// How often a process ended at each place.
    pub(crate) points: BTreeMap<String, u64>,
    pub(crate) violations: u64,
    /// How many mutants were detected.
    pub(crate) mutants: usize,
    /// The rounds of random ends: each has seeds of its own.
    pub(crate) rounds: u64,
}

impl State {
    /// The figures so far; none if there is no file.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        match std::fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes).with_context(|| path.display().to_string()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| path.display().to_string()),
        }
    }

    pub(crate) fn write(&self, path: &Path) -> anyhow::Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // An interrupted invocation must not leave half a file.
        let unfinished = path.with_extension("unfinished");
        std::fs::write(&unfinished, serde_json::to_vec_pretty(self)?)?;
        Ok(std::fs::rename(unfinished, path)?)
    }

    pub(crate) fn kills(&self) -> u64 {
        self.points.values().sum()
    }

    /// Counts the ends that a log tells of, and returns how many.
    pub(crate) fn count(&mut self, log: &str) -> u64 {
        let names = log.lines().filter_map(|line| line.strip_prefix("crash point "));
        let mut found = 0;
        for name in names {
            *self.points.entry(name.to_owned()).or_default() += 1;
            found += 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_two_invocations_add_up() {
        let path = std::env::temp_dir().join(format!("kills-{}.json", uuid::Uuid::now_v7()));
        let mut first = State::read(&path).unwrap();
        assert_eq!(first.count("x\ncrash point learn-draft:after\ncrash point learn-draft:after\n"), 2);
        first.write(&path).unwrap();

        let mut second = State::read(&path).unwrap();
        assert_eq!(second.count("crash point job-claim:before\n"), 1);
        std::fs::remove_file(&path).unwrap();

        assert_eq!((second.kills(), second.points.len()), (3, 2));
    }
}
