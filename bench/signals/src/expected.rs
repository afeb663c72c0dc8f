//! What the rules say about a run at a time, written independently of the product: people first, nothing while a run is blind,
//! else the latest signal of the strongest source whose time has come.

use crate::script::{GUESSING, Run, ScriptedSignal};

/// The sources by strength, and how many hours a pass waits.
const RULES: [(&str, u32, f64); 4] =
    [("merge", 50, 72.0), ("user", 30, 0.0), ("ci", 20, 0.0), (GUESSING, 10, 0.0)];

/// The result that a run must have if one source is stopped. `None` for no review.
pub(crate) fn result(run: &Run, now: f64, stopped: Option<&str>) -> Option<bool> {
    if run.sent > now {
        return None;
    }
    if run.reviewed.is_some_and(|at| at <= now) {
        return Some(run.good);
    }
    if run.blind {
        return None;
    }
    let counting = RULES.into_iter().filter(|(source, ..)| stopped != Some(*source));
    let results = counting.filter_map(|(source, strength, wait)| {
        let latest = latest_signal(run, source, now)?;
        let counts_from = if latest.passed { latest.at + wait } else { latest.at };
        (counts_from <= now).then_some((strength, latest.passed))
    });
    results.max_by_key(|(strength, _)| *strength).map(|(_, passed)| passed)
}

/// The latest signal of a source about a run.
pub(crate) fn latest_signal<'a>(run: &'a Run, source: &str, now: f64) -> Option<&'a ScriptedSignal> {
    run.signals.iter().rev().find(|signal| signal.source == source && signal.at <= now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Naming;

    fn signal(source: &'static str, passed: bool, at: f64) -> ScriptedSignal {
        ScriptedSignal { source, naming: Naming::Commit, passed, at, repeated: false }
    }

    fn run(signals: Vec<ScriptedSignal>) -> Run {
        Run { began: 0.0, sent: 0.0, good: true, blind: false, reviewed: None, signals }
    }

    #[test]
    fn a_merge_counts_after_three_days_and_a_revert_at_once() {
        let merged = run(vec![signal("ci", false, 1.0), signal("merge", true, 2.0)]);
        assert_eq!(
            (result(&merged, 1.5, None), result(&merged, 73.0, None), result(&merged, 74.0, None)),
            (Some(false), Some(false), Some(true))
        );
        let reverted = run(vec![signal("merge", true, 2.0), signal("merge", false, 30.0)]);
        assert_eq!((result(&reverted, 29.0, None), result(&reverted, 30.0, None)), (None, Some(false)));
    }

    #[test]
    fn people_come_first_and_blind_runs_wait_for_them() {
        let blind = Run { blind: true, reviewed: Some(10.0), ..run(vec![signal("ci", false, 1.0)]) };
        assert_eq!((result(&blind, 9.0, None), result(&blind, 10.0, None)), (None, Some(true)));
    }

    #[test]
    fn a_stopped_source_does_not_count() {
        let guessed = run(vec![signal("nightly", false, 9.0)]);
        assert_eq!(
            (result(&guessed, 9.0, None), result(&guessed, 9.0, Some("nightly"))),
            (Some(false), None)
        );
        let built = run(vec![signal("ci", true, 1.0), signal("nightly", false, 9.0)]);
        assert_eq!(result(&built, 9.0, Some("nightly")), Some(true));
    }
}
