//! The summary of a review session.

use std::time::Duration;

use reflect_types::ReviewResult;

use super::state::tally::Tally;

/// The line that is printed when the session ends.
pub(crate) fn summary(tally: &Tally, elapsed: Duration, unsent: usize) -> String {
    if tally.decided() == 0 && unsent == 0 {
        return "No runs were reviewed.".to_owned();
    }
    let mut said = format!(
        "{} passed, {} failed, {} deferred in {}",
        tally.passed,
        tally.failed,
        tally.deferred,
        time(elapsed)
    );
    if let Some(pace) = pace(tally, elapsed) {
        said.push_str(&format!(" ({pace} each)"));
    }
    said.push('.');
    match (tally.passed + tally.failed).saturating_sub(unsent) {
        0 => {}
        1 => said.push_str(" 1 lesson is being written."),
        many => said.push_str(&format!(" {many} lessons are being written.")),
    }
    match unsent {
        0 => {}
        1 => said
            .push_str(" 1 verdict could not be sent and is stored on this machine. The next `reflect review` sends it."),
        many => said.push_str(&format!(
            " {many} verdicts could not be sent and are stored on this machine. The next `reflect review` sends them."
        )),
    }
    said
}

/// The average time per decision.
pub(crate) fn pace(tally: &Tally, elapsed: Duration) -> Option<String> {
    let decided = tally.decided();
    (decided > 0).then(|| format!("{:.1} s", elapsed.as_secs_f64() / decided as f64))
}

/// A verdict as a past participle.
pub(crate) const fn past_tense(result: ReviewResult) -> &'static str {
    match result {
        ReviewResult::Pass => "passed",
        ReviewResult::Fail => "failed",
    }
}

fn time(elapsed: Duration) -> String {
    match elapsed.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} m {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} m", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_one_line() {
        let tally = Tally { passed: 27, failed: 2, deferred: 1 };

        let said = summary(&tally, Duration::from_secs(252), 0);

        assert_eq!(
            said,
            "27 passed, 2 failed, 1 deferred in 4 m 12 s (8.4 s each). 29 lessons are being written."
        );
    }

    #[test]
    fn unsent_verdicts_are_reported_and_write_no_lesson_yet() {
        let tally = Tally { passed: 1, failed: 1, deferred: 0 };

        let said = summary(&tally, Duration::from_secs(5), 1);

        assert!(said.contains("1 lesson is being written. 1 verdict could not be sent"), "{said}");
        assert_eq!(summary(&Tally::default(), Duration::from_secs(5), 0), "No runs were reviewed.");
    }
}
