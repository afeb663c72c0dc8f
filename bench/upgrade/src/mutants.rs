//! Migrations with a deliberate defect. A run that does not detect them proves nothing.

use std::time::Duration;

use crate::gate::Plan;
use crate::trial::Trial;
use crate::{LONGEST_MS, PAUSE};

/// A migration of this checkout with an addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// It holds an exclusive lock for longer than allowed.
    LongLock,
    /// It renames a column that servers of the release use.
    RenamedColumn,
    /// It commits before its end, so it cannot be repeated after a kill.
    EarlyCommit,
}

impl Mutant {
    pub(crate) const ALL: [Self; 3] = [Self::LongLock, Self::RenamedColumn, Self::EarlyCommit];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::LongLock => "long lock",
            Self::RenamedColumn => "renamed column",
            Self::EarlyCommit => "early commit",
        }
    }

    const fn addition(self) -> &'static str {
        match self {
            Self::LongLock => "lock table trace in access exclusive mode; select pg_sleep(0.3);",
            Self::RenamedColumn => "alter table trace rename column task to job_description;",
            Self::EarlyCommit => "create table left_behind (); commit; begin;",
        }
    }

    /// Whether the run detects it.
    pub(crate) async fn is_caught(self, trial: &Trial<'_>) -> anyhow::Result<bool> {
        let pending = trial.pending();
        let added = pending.last().map(|last| (*last, self.addition().to_owned()));
        if self == Self::EarlyCommit {
            let plan = Plan { added, ..Plan::default() };
            let (kills, differences) = trial.with_kills("mutant", &plan).await?;
            let what = differences.first().map_or("nothing", String::as_str);
            println!("mutant {}: {kills} kills, {}", self.name(), what.lines().next().unwrap_or_default());
            return Ok(!differences.is_empty());
        }
        let plan = Plan { pause: PAUSE.min(Duration::from_millis(50)), added, ..Plan::default() };
        let (failures, longest) = trial.statements_under("mutant", plan).await?;
        let longest = longest.map_or(0.0, |wait| wait.milliseconds);
        println!(
            "mutant {}: {} failed statements, longest lock {longest:.0} ms",
            self.name(),
            failures.len()
        );
        Ok(match self {
            Self::LongLock => longest > LONGEST_MS,
            _ => !failures.is_empty(),
        })
    }
}
