//! The rows of the table. Each makes its own databases, so each can be run alone.

mod backlog;
mod claims;
mod enqueue;
mod full_disk;
mod ledger;
mod lesson_migration;
mod maintenance;
mod memories;
mod noisy_neighbour;
mod overload;
mod partition_drop;
mod projects;
mod queries;
mod retention;
mod startup;

use clap::ValueEnum;

use crate::figure::Outcome;
use crate::stage::Stage;

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowName {
    Claims,
    Enqueue,
    Backlog,
    Maintenance,
    Startup,
    Projects,
    #[value(name = "memories-10k")]
    Memories10k,
    #[value(name = "memories-100k")]
    Memories100k,
    #[value(name = "memories-1m")]
    Memories1m,
    LessonMigration,
    Ledger,
    Retention,
    PartitionDrop,
    Overload,
    NoisyNeighbour,
    FullDisk,
}

impl RowName {
    /// All of them, in the order in which they run.
    pub(crate) const ALL: [Self; 16] = [
        Self::Claims,
        Self::Enqueue,
        Self::Backlog,
        Self::Maintenance,
        Self::Startup,
        Self::Projects,
        Self::Memories10k,
        Self::Memories100k,
        Self::Memories1m,
        Self::LessonMigration,
        Self::Ledger,
        Self::Retention,
        Self::PartitionDrop,
        Self::Overload,
        Self::NoisyNeighbour,
        Self::FullDisk,
    ];

    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claims => "claims",
            Self::Enqueue => "enqueue",
            Self::Backlog => "backlog",
            Self::Maintenance => "maintenance",
            Self::Startup => "startup",
            Self::Projects => "projects",
            Self::Memories10k => "memories-10k",
            Self::Memories100k => "memories-100k",
            Self::Memories1m => "memories-1m",
            Self::LessonMigration => "lesson-migration",
            Self::Ledger => "ledger",
            Self::Retention => "retention",
            Self::PartitionDrop => "partition-drop",
            Self::Overload => "overload",
            Self::NoisyNeighbour => "noisy-neighbour",
            Self::FullDisk => "full-disk",
        }
    }

    /// What it measures.
    pub(crate) fn purpose(self) -> &'static str {
        match self {
            Self::Claims => "claims per second and CPU per job, by number of projects and worker processes",
            Self::Enqueue => {
                "transactions that queue a job, with 8 clients and a flush of 5 ms, against those that do not"
            }
            Self::Backlog => "the wait of a quiet project's job beside a project with a million waiting jobs",
            Self::Maintenance => "one cycle of maintenance over all projects, and one with a step that fails",
            Self::Startup => "how soon a server is ready, by number of projects",
            Self::Projects => "a query among 10,000 projects against one among 10",
            Self::Memories10k => "a query in a project of 10,000 memories",
            Self::Memories100k => "a query in a project of 100,000 memories",
            Self::Memories1m => "a query in a project of a million memories",
            Self::LessonMigration => "grouping 100,000 memories into lessons under load, and undoing it",
            Self::Ledger => "withdrawing a review of a memory with a million ledger entries",
            Self::Retention => "retention over ten million reviewed runs",
            Self::PartitionDrop => "recording runs while maintenance drops a partition beside an open dump",
            Self::Overload => "three times as many queries as the server can answer",
            Self::NoisyNeighbour => "queries of a quiet project beside one that sends as many as it can",
            Self::FullDisk => "a disk that is full, and then is not",
        }
    }

    /// Whether a quick run contains it. Larger sizes of the same measurement are left out.
    pub(crate) fn has_quick_form(self) -> bool {
        !matches!(self, Self::Memories100k | Self::Memories1m)
    }
}

/// Measures a row.
pub(crate) fn run(row: RowName, stage: &Stage) -> anyhow::Result<Outcome> {
    match row {
        RowName::Claims => claims::run(stage),
        RowName::Enqueue => enqueue::run(stage),
        RowName::Backlog => backlog::run(stage),
        RowName::Maintenance => maintenance::run(stage),
        RowName::Startup => startup::run(stage),
        RowName::Projects => projects::run(stage),
        RowName::Memories10k => memories::run(stage, stage.pick(10_000, 1_000)),
        RowName::Memories100k => memories::run(stage, stage.pick(100_000, 2_000)),
        RowName::Memories1m => memories::run(stage, stage.pick(1_000_000, 3_000)),
        RowName::LessonMigration => lesson_migration::run(stage),
        RowName::Ledger => ledger::run(stage),
        RowName::Retention => retention::run(stage),
        RowName::PartitionDrop => partition_drop::run(stage),
        RowName::Overload => overload::run(stage),
        RowName::NoisyNeighbour => noisy_neighbour::run(stage),
        RowName::FullDisk => full_disk::run(stage),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_command_line() {
        for row in RowName::ALL {
            let value = row.to_possible_value().map(|value| value.get_name().to_owned());
            assert_eq!(value.as_deref(), Some(row.name()));
        }
    }
}
