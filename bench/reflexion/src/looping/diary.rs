//! Records every expensive call, one line each, in a file that outlives the process. At the chosen point the loop waits
//! to be killed.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::arguments::Moment;

/// The line that is printed before it waits.
pub(crate) const HALTED: &str = "halted";

#[derive(Debug, Clone)]
pub(crate) struct Diary {
    path: PathBuf,
    halt: Option<Moment>,
}

impl Diary {
    pub(crate) fn new(folder: &Path, halt: Option<Moment>) -> Self {
        Self { path: path(folder), halt }
    }

    /// Records a call, and waits if this is the point to be killed at.
    pub(crate) async fn reached(&self, moment: Moment) -> anyhow::Result<()> {
        if !moment.answered {
            let mut file = std::fs::File::options().create(true).append(true).open(&self.path)?;
            writeln!(file, "{moment}")?;
        }
        if self.halt == Some(moment) {
            println!("{HALTED}");
            std::future::pending::<()>().await;
        }
        Ok(())
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join("calls.txt")
}

/// The number of calls of each kind.
pub(crate) fn calls(folder: &Path) -> anyhow::Result<BTreeMap<String, usize>> {
    let mut calls = BTreeMap::new();
    for line in std::fs::read_to_string(path(folder))?.lines() {
        *calls.entry(line.to_owned()).or_default() += 1;
    }
    Ok(calls)
}
