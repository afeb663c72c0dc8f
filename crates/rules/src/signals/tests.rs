//! Tests of what signals mean.

use proptest::prelude::*;
use reflect_types::ReviewResult::{Fail, Pass};
use reflect_types::{ReviewResult, ReviewerKind, SignalReport, SignalSource, SourceRule};

use super::*;

const HOUR: i64 = 60 * 60 * 1000;

fn signal(source: &str, result: ReviewResult, occurred_at: i64) -> RunReport {
    RunReport {
        source: source.parse().unwrap(),
        report: SignalReport::Outcome(result),
        occurred_at,
        received_at: occurred_at,
        untrusted: false,
    }
}

fn untrusted(source: &str, result: ReviewResult, occurred_at: i64) -> RunReport {
    RunReport { untrusted: true, ..signal(source, result, occurred_at) }
}

fn usual(source: &SignalSource) -> SourceStanding {
    SourceStanding { rule: SourceRule::usual(source), stopped: false }
}

fn at(signals: &[RunReport], review: Option<ExistingReview>, now: i64) -> SignalDecision {
    decide(signals, usual, review, false, now)
}

fn by(kind: ReviewerKind, result: ReviewResult) -> Option<ExistingReview> {
    Some(ExistingReview { by: kind, result, untrusted: false, orphaned: false })
}

fn review(signal: usize, result: ReviewResult) -> SignalAction {
    SignalAction::Review { signal, result }
}

#[test]
fn a_signal_becomes_the_review_of_a_run_without_one() {
    let decided = at(&[signal("ci", Fail, 0)], None, 0);
    assert_eq!(decided.action, review(0, Fail));
    assert_eq!((decided.again_at, decided.standings), (None, vec![SignalStanding::Decides]));
}

#[test]
fn without_signals_nothing_is_done() {
    let decided = at(&[], None, 0);
    assert_eq!((decided.action, decided.again_at), (SignalAction::Keep, None));
}

#[test]
fn a_merge_waits_three_days_and_a_revert_in_that_time_fails_the_run_at_once() {
    let merged = signal("merge", Pass, 0);
    let waits = at(std::slice::from_ref(&merged), None, 71 * HOUR);
    assert_eq!((waits.action, waits.again_at), (SignalAction::Keep, Some(72 * HOUR)));
    assert_eq!(at(std::slice::from_ref(&merged), None, 72 * HOUR).action, review(0, Pass));

    let reverted = at(&[merged, signal("merge", Fail, 10 * HOUR)], None, 10 * HOUR);
    assert_eq!((reverted.action, reverted.again_at), (review(1, Fail), None));
    assert_eq!(reverted.standings, [SignalStanding::Superseded, SignalStanding::Decides]);
}

#[test]
fn a_revert_after_the_wait_replaces_the_review_that_the_merge_made() {
    let signals = [signal("merge", Pass, 0), signal("merge", Fail, 100 * HOUR)];
    let decided = at(&signals, by(ReviewerKind::Signal, Pass), 100 * HOUR);
    assert_eq!(decided.action, review(1, Fail));
}

#[test]
fn while_a_stronger_source_waits_the_weaker_one_counts() {
    let signals = [signal("ci", Fail, 0), signal("merge", Pass, 0)];
    let now = at(&signals, None, HOUR);
    assert_eq!((now.action, now.again_at), (review(0, Fail), Some(72 * HOUR)));
    assert_eq!(now.standings[1], SignalStanding::Waits(72 * HOUR));

    let later = at(&signals, by(ReviewerKind::Signal, Fail), 72 * HOUR);
    assert_eq!(later.action, review(1, Pass));
    assert_eq!(later.standings, [SignalStanding::Outweighed, SignalStanding::Decides]);
}

#[test]
fn a_waiting_signal_that_cannot_change_the_result_is_not_waited_for() {
    let agrees = [signal("ci", Pass, 0), signal("merge", Pass, 0)];
    assert_eq!(at(&agrees, None, 0).again_at, None);

    // A weaker source.
    let weak = |source: &SignalSource| {
        let rule = SourceRule::usual(source);
        let slow = SourceRule { wait_pass_seconds: 60, precedence: 1, ..rule };
        SourceStanding { rule: if source.as_str() == "ci" { rule } else { slow }, stopped: false }
    };
    let signals = [signal("ci", Fail, 0), signal("merge", Pass, 0)];
    assert_eq!(decide(&signals, weak, None, false, 0).again_at, None);
}

#[test]
fn of_equal_sources_the_later_signal_wins_whatever_the_order_of_arrival() {
    let (fail, pass) = (signal("ci", Fail, 1), signal("tests", Pass, 2));
    assert_eq!(at(&[fail.clone(), pass.clone()], None, 9).action, review(1, Pass));
    assert_eq!(at(&[pass, fail], None, 9).action, review(0, Pass));
    // The same time: the one that was received later.
    let first = RunReport { received_at: 5, ..signal("ci", Fail, 1) };
    let second = RunReport { received_at: 6, ..signal("ci", Pass, 1) };
    assert_eq!(at(&[second, first], None, 9).action, review(0, Pass));
}

#[test]
fn a_signal_replaces_a_contradicting_judge_and_never_a_person() {
    let fails = [signal("ci", Fail, 0)];
    for (existing, action) in [
        (by(ReviewerKind::Judge, Pass), review(0, Fail)),
        (by(ReviewerKind::Signal, Pass), review(0, Fail)),
        (by(ReviewerKind::Judge, Fail), SignalAction::Keep),
        (by(ReviewerKind::Signal, Fail), SignalAction::Keep),
        (by(ReviewerKind::Person, Pass), SignalAction::Keep),
        (by(ReviewerKind::Person, Fail), SignalAction::Keep),
    ] {
        assert_eq!(at(&fails, existing, 0).action, action, "{existing:?}");
    }
}

#[test]
fn blind_signals_have_a_meaning_and_no_effect() {
    let decided = decide(&[signal("ci", Fail, 0)], usual, None, true, 0);
    assert_eq!((decided.action, decided.standings), (SignalAction::Keep, vec![SignalStanding::Decides]));
}

#[test]
fn sources_that_do_not_count_and_unclear_scores_have_no_effect() {
    let unclear = RunReport { report: SignalReport::Score(0.5), ..signal("evaluation", Pass, 0) };
    let signals = [signal("ci", Pass, 0), signal("user", Fail, 0), unclear];
    let rules = |source: &SignalSource| SourceStanding {
        rule: SourceRule { counts: source.as_str() != "ci", ..SourceRule::usual(source) },
        stopped: source.as_str() == "user",
    };
    let decided = decide(&signals, rules, None, false, 0);
    assert_eq!(decided.action, SignalAction::Keep);
    assert_eq!(
        decided.standings,
        [SignalStanding::NotCounted, SignalStanding::Stopped, SignalStanding::Unclear]
    );
}

#[test]
fn an_untrusted_key_outweighs_no_trusted_one_and_ends_no_trusted_review() {
    // A source of the highest precedence, later, and of the same source.
    let signals = [signal("ci", Pass, 0), untrusted("merge", Fail, 5), untrusted("ci", Fail, 9)];
    let decided = at(&signals, None, 9);
    assert_eq!((decided.action, decided.standings[0]), (review(0, Pass), SignalStanding::Decides));

    let alone = [untrusted("ci", Fail, 0)];
    assert_eq!(at(&alone, None, 0).action, review(0, Fail));
    assert_eq!(at(&alone, by(ReviewerKind::Judge, Pass), 0).action, SignalAction::Keep);
    let own = ExistingReview { by: ReviewerKind::Signal, result: Pass, untrusted: true, orphaned: false };
    assert_eq!(at(&alone, Some(own), 0).action, review(0, Fail));
    // The words and the weight of a trusted key count, also with the same result.
    assert_eq!(at(&[signal("ci", Pass, 0)], Some(own), 0).action, review(0, Pass));
    assert_eq!(at(&[untrusted("ci", Pass, 0)], Some(own), 0).action, SignalAction::Keep);
}

#[test]
fn a_later_score_without_a_result_changes_nothing() {
    let score =
        |score, at| RunReport { report: SignalReport::Score(score), ..signal("evaluation", Pass, at) };
    let decided = at(&[score(0.9, 0), score(0.5, 1)], None, 1);
    assert_eq!(decided.action, review(0, Pass));
    assert_eq!(decided.standings, [SignalStanding::Decides, SignalStanding::Unclear]);
}

#[test]
fn a_review_whose_signals_are_about_another_run_is_withdrawn() {
    let orphaned = by(ReviewerKind::Signal, Pass).map(|review| ExistingReview { orphaned: true, ..review });
    assert_eq!(at(&[], orphaned, 0).action, SignalAction::Withdraw);
    assert_eq!(at(&[signal("merge", Pass, 0)], orphaned, 0).action, SignalAction::Withdraw);
    assert_eq!(at(&[signal("ci", Fail, 0)], orphaned, 0).action, review(0, Fail));
    assert_eq!(at(&[signal("ci", Pass, 0)], orphaned, 0).action, SignalAction::Keep);
}

#[test]
fn a_time_that_is_too_large_waits_forever() {
    let endless = |source: &SignalSource| SourceStanding {
        rule: SourceRule { wait_pass_seconds: u64::MAX, ..SourceRule::usual(source) },
        stopped: false,
    };
    let decided = decide(&[signal("ci", Pass, i64::MAX - 1)], endless, None, false, 0);
    assert_eq!((decided.action, decided.again_at), (SignalAction::Keep, Some(i64::MAX)));
}

fn any_signal() -> impl Strategy<Value = RunReport> {
    let source = prop::sample::select(vec!["ci", "tests", "user", "merge", "nightly"]);
    let report = prop_oneof![
        any::<bool>().prop_map(|passed| SignalReport::Outcome(if passed { Pass } else { Fail })),
        (0.0_f64..=1.0).prop_map(SignalReport::Score),
    ];
    (source, report, 0_i64..200 * HOUR, any::<bool>()).prop_map(|(source, report, occurred_at, untrusted)| {
        RunReport {
            source: source.parse().unwrap(),
            report,
            occurred_at,
            received_at: occurred_at,
            untrusted,
        }
    })
}

proptest! {
    /// The order of arrival and repeats do not matter, and the decision is stable until `again_at`.
    #[test]
    fn a_decision_depends_on_what_happened_and_not_on_when_it_was_reported(
        signals in prop::collection::vec(any_signal(), 0..8), now in 0_i64..300 * HOUR, turn in 0_usize..8
    ) {
        let result = |signals: &[RunReport], now: i64| match at(signals, None, now).action {
            SignalAction::Keep | SignalAction::Withdraw => None,
            SignalAction::Review { result, .. } => Some(result),
        };
        // Two signals of the same time would be decided by the order.
        let mut times: Vec<i64> = signals.iter().map(|signal| signal.occurred_at).collect();
        times.sort_unstable();
        times.dedup();
        prop_assume!(times.len() == signals.len());

        let decided = at(&signals, None, now);
        let mut turned = signals.clone();
        turned.rotate_left(turn.min(signals.len()));
        turned.extend(signals.iter().cloned());
        prop_assert_eq!(result(&turned, now), result(&signals, now));

        let until = decided.again_at.map_or(now + 500 * HOUR, |until| until - 1).max(now);
        prop_assert_eq!(result(&signals, until), result(&signals, now));
        if let Some(until) = decided.again_at {
            prop_assert!(until > now);
        }
    }

    /// Whatever arrives first, and whenever the job runs, the run has the same result when all waits are over.
    #[test]
    fn the_final_review_does_not_depend_on_the_order_of_arrival(
        signals in prop::collection::vec(any_signal(), 0..7), order in any::<prop::sample::Index>(), pause in 0_i64..100 * HOUR
    ) {
        let mut times: Vec<i64> = signals.iter().map(|signal| signal.occurred_at).collect();
        times.sort_unstable();
        times.dedup();
        prop_assume!(times.len() == signals.len());
        let end = 1000 * HOUR;
        let arrive = |signals: Vec<RunReport>, pause: i64| {
            let (mut seen, mut existing): (Vec<RunReport>, Option<ExistingReview>) = (Vec::new(), None);
            let mut now = 0;
            for signal in signals.into_iter().map(Some).chain([None]) {
                now = signal.as_ref().map_or(end, |signal| (now + pause).max(signal.occurred_at));
                seen.extend(signal);
                if let SignalAction::Review { signal, result } = at(&seen, existing, now).action {
                    let untrusted = seen[signal].untrusted;
                    existing = Some(ExistingReview { by: ReviewerKind::Signal, result, untrusted, orphaned: false });
                }
            }
            existing.map(|review| (review.result, review.untrusted))
        };
        let mut turned = signals.clone();
        turned.rotate_left(order.index(signals.len().max(1)).min(signals.len()));
        let at_once = at(&signals, None, end).action;
        let expected = match at_once {
            SignalAction::Review { signal, result } => Some((result, signals[signal].untrusted)),
            SignalAction::Keep | SignalAction::Withdraw => None,
        };
        prop_assert_eq!(arrive(turned, pause), expected);
        prop_assert_eq!(arrive(signals, 0), expected);
    }
}
