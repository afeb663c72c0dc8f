//! The script of the week: what each run was really like, and who says what about it, when. It depends on the seed only.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// The week, in hours.
pub(crate) const WEEK: f64 = 168.0;
/// The hours of one step, after which reviews are compared.
pub(crate) const STEP: f64 = 6.0;
/// How often a source is wrong.
pub(crate) const ERRORS: [(&str, f64); 4] = [("ci", 0.1), ("user", 0.25), ("merge", 0.05), (GUESSING, 0.5)];
/// The source that guesses.
pub(crate) const GUESSING: &str = "nightly";
/// The share of runs that are good.
const GOOD: f64 = 0.6;
/// The share of blind runs. Half, so that a week is enough to measure the sources.
pub(crate) const BLIND: f64 = 0.5;
/// The share of blind runs that a person reviews, and of the others.
const REVIEWED_BLIND: f64 = 0.7;
const REVIEWED: f64 = 0.05;
/// The share of signals that are sent twice.
const REPEATED: f64 = 0.2;

/// By what a signal names its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    Commit,
    PullRequest,
    Trace,
}

/// A signal.
#[derive(Debug, Clone)]
pub(crate) struct ScriptedSignal {
    pub(crate) source: &'static str,
    pub(crate) naming: Naming,
    pub(crate) passed: bool,
    /// When it happened, in hours of the week.
    pub(crate) at: f64,
    /// Whether it is sent a second time.
    pub(crate) repeated: bool,
}

/// A run.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// When it began.
    pub(crate) began: f64,
    /// When it is sent. Its first signal may be sent before.
    pub(crate) sent: f64,
    /// Whether it is good.
    pub(crate) good: bool,
    pub(crate) blind: bool,
    /// When a person reviews it, with the right result.
    pub(crate) reviewed: Option<f64>,
    /// In the order in which they happen.
    pub(crate) signals: Vec<ScriptedSignal>,
}

/// The whole week.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) runs: Vec<Run>,
}

impl Script {
    pub(crate) fn write(seed: u64, runs: usize) -> Self {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut runs: Vec<Run> = (0..runs).map(|_| run(&mut random)).collect();
        runs.sort_by(|one, other| one.began.total_cmp(&other.began));
        Self { runs }
    }

    /// How many signals there are.
    pub(crate) fn signals(&self) -> usize {
        self.runs.iter().map(|run| run.signals.len()).sum()
    }

    /// How many of them are sent twice.
    pub(crate) fn repeats(&self) -> usize {
        self.runs.iter().flat_map(|run| &run.signals).filter(|signal| signal.repeated).count()
    }
}

fn run(random: &mut SmallRng) -> Run {
    let began = random.random_range(0.0..WEEK);
    let good = random.random_bool(GOOD);
    let blind = random.random_bool(BLIND);
    // A fifth is sent late: its build has ended before.
    let sent = began + if random.random_bool(0.2) { 3.0 } else { 0.1 };
    let reviewed = random.random_bool(if blind { REVIEWED_BLIND } else { REVIEWED });
    let reviewed = reviewed.then(|| sent + random.random_range(1.0..60.0));
    let mut signals = Vec::new();
    let mut add = |source: &'static str, naming, passed, at: f64, random: &mut SmallRng| {
        signals.push(ScriptedSignal { source, naming, passed, at, repeated: random.random_bool(REPEATED) });
    };
    if random.random_bool(0.9) {
        let passed = reported_result("ci", good, random);
        // A build that is repeated says the opposite first.
        if random.random_bool(0.15) {
            add("ci", Naming::Commit, !passed, began + 0.5, random);
        }
        add("ci", Naming::Commit, passed, began + 0.8, random);
    }
    if random.random_bool(0.4) {
        let passed = reported_result(GUESSING, good, random);
        add(GUESSING, Naming::Commit, passed, began + 9.0, random);
    }
    if random.random_bool(0.5) {
        let passed = reported_result("user", good, random);
        add("user", Naming::Trace, passed, sent + 1.0, random);
    }
    if random.random_bool(0.6) {
        let passed = reported_result("merge", good, random);
        let merged = apart(sent + 2.0);
        add("merge", Naming::PullRequest, true, merged, random);
        if !passed {
            // A revert, mostly within the three days in which a merge does not count yet.
            let after = if random.random_bool(0.7) { 30.0 } else { 85.0 };
            add("merge", Naming::PullRequest, false, merged + after, random);
        }
    }
    signals.sort_by(|one: &ScriptedSignal, other| one.at.total_cmp(&other.at));
    Run { began, sent, good, blind, reviewed, signals }
}

/// The same time, or one nearby, that is not near the end of a step. The clock of the server goes on while a step is played, so
/// a wait that ends at nearly the same time as a step could end before or after it.
fn apart(at: f64) -> f64 {
    let (step, rest) = ((at / STEP).floor() * STEP, at % STEP);
    step + 0.5 + rest * (STEP - 1.0) / STEP
}

/// What a source reports about a run: the truth, or the opposite as often as it is wrong.
fn reported_result(source: &str, good: bool, random: &mut SmallRng) -> bool {
    let error = ERRORS.iter().find(|(name, _)| *name == source).map_or(0.0, |(_, error)| *error);
    good != random.random_bool(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_writes_the_same_week() {
        let week = |seed| format!("{:?}", Script::write(seed, 50));
        assert_eq!(week(1), week(1));
        assert_ne!(week(1), week(2));
    }

    #[test]
    fn the_latest_signal_of_a_source_is_wrong_as_often_as_stated() {
        let script = Script::write(7, 5_000);
        for (source, error) in ERRORS {
            let last = script.runs.iter().filter_map(|run| {
                let last = run.signals.iter().rev().find(|signal| signal.source == source)?;
                Some(last.passed != run.good)
            });
            let (mut all, mut wrong) = (0.0, 0.0);
            for is_wrong in last {
                all += 1.0;
                wrong += f64::from(u8::from(is_wrong));
            }
            assert!((wrong / all - error).abs() < 0.03, "{source}: {}", wrong / all);
        }
    }
}
