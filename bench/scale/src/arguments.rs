//! The options of the run.

use std::path::PathBuf;

use clap::Parser;

use crate::rows::RowName;

/// Measures what stops first as an installation grows. Every row of the table can be run alone.
#[derive(Debug, Clone, Parser)]
pub(crate) struct Arguments {
    /// The `reflect` binary to measure.
    #[arg(long, required_unless_present_any = ["list", "work"])]
    pub(crate) binary: Option<PathBuf>,
    /// The path of `pgbench`.
    #[arg(long, required_unless_present_any = ["list", "work"])]
    pub(crate) pgbench: Option<PathBuf>,
    /// Only this row. Repeatable.
    #[arg(long, value_name = "ROW")]
    pub(crate) only: Vec<RowName>,
    /// List the rows.
    #[arg(long)]
    pub(crate) list: bool,
    /// Small sizes and no thresholds, to check that it runs.
    #[arg(long)]
    pub(crate) quick: bool,
    /// The folder with the public data that vectors are derived from.
    #[arg(long)]
    pub(crate) data: Option<PathBuf>,
    /// Be a worker process of this database, until standard input ends.
    #[arg(long, hide = true, value_name = "URL")]
    pub(crate) work: Option<String>,
}

impl Arguments {
    /// The rows to run, in the order of the table.
    pub(crate) fn rows(&self) -> Vec<RowName> {
        let all = RowName::ALL.into_iter();
        if self.only.is_empty() {
            all.filter(|row| !self.quick || row.has_quick_form()).collect()
        } else {
            all.filter(|row| self.only.contains(row)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(words: &[&str]) -> Vec<RowName> {
        let words = [&["scale", "--binary", "reflect", "--pgbench", "pgbench"][..], words].concat();
        Arguments::try_parse_from(words).unwrap().rows()
    }

    #[test]
    fn every_row_runs_unless_some_are_chosen() {
        assert_eq!(rows(&[]).len(), RowName::ALL.len());
        assert_eq!(
            rows(&["--only", "overload", "--only", "memories-1m"]),
            [RowName::Memories1m, RowName::Overload]
        );
    }

    #[test]
    fn the_quick_form_leaves_large_sizes_out() {
        assert!(!rows(&["--quick"]).contains(&RowName::Memories1m));
        assert!(rows(&["--quick", "--only", "memories-1m"]).contains(&RowName::Memories1m));
    }
}
