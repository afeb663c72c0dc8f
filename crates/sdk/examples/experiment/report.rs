//! How it came out: as a table, as a plot of text, and as JSON.

use reflect_evaluation::mean_pass_at_k;
use reflexion_loop::Verdict;
use serde::Serialize;

/// One side of the comparison.
#[derive(Debug, Serialize)]
pub(crate) struct Arm {
    name: String,
    /// By case and round. What could not be run is unclear, which counts nowhere.
    pub(crate) verdicts: Vec<Vec<Verdict>>,
    /// What could not be run, and why.
    pub(crate) broken: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) rounds: usize,
    pub(crate) arms: Vec<Arm>,
}

impl Arm {
    pub(crate) fn new(name: &str, cases: usize, rounds: usize) -> Self {
        Self {
            name: name.to_owned(),
            verdicts: vec![vec![Verdict::Unclear; rounds]; cases],
            broken: Vec::new(),
        }
    }

    /// The share of cases that passed in a round, of those that could be run.
    fn passed_in(&self, round: usize) -> f64 {
        let count =
            |wanted: Verdict| self.verdicts.iter().filter(|rounds| rounds[round] == wanted).count() as f64;
        let (passed, failed) = (count(Verdict::Pass), count(Verdict::Fail));
        passed / (passed + failed).max(1.0)
    }
}

impl Report {
    /// Unbiased pass@k, the mean over cases.
    pub(crate) fn table(&self) -> String {
        let share =
            |arm: &Arm, k| mean_pass_at_k(&arm.verdicts, k).map_or("-".to_owned(), |p| format!("{p:.2}"));
        let row = |arm: &Arm| {
            format!("{:<16} {:>7} {:>7} {:>7}", arm.name, share(arm, 1), share(arm, 3), arm.broken.len())
        };
        let head = format!("{:<16} {:>7} {:>7} {:>7}", "", "pass@1", "pass@3", "broken");
        std::iter::once(head).chain(self.arms.iter().map(row)).collect::<Vec<_>>().join("\n")
    }

    /// What share passed, round by round.
    pub(crate) fn plot(&self) -> String {
        let mut lines = Vec::new();
        for arm in &self.arms {
            lines.push(format!("{}:", arm.name));
            for round in 0..self.rounds {
                let share = arm.passed_in(round);
                let bar = "#".repeat((share * 40.0).round() as usize);
                lines.push(format!("  round {:>2} |{bar:<40}| {:.0} %", round + 1, share * 100.0));
            }
        }
        lines.join("\n")
    }
}
