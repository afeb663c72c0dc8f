//! Review sessions, key by key.

use std::collections::BTreeMap;

use reflect_api::{DigestStep, DigestSteps, QueuedTrace, TraceDigest};
use reflect_types::{Link, ReviewId, ReviewResult};

use super::*;
use crate::review::state::Mode;
use crate::review::state::key_guard::GUARD;
use crate::review::state::tally::Tally;
use crate::review::state::text_field::TextField;
use crate::review::submission::ExistingReview;

const FIRST: Duration = Duration::from_secs(1);

/// A run as the queue gives it.
pub(crate) fn trace(task: &str) -> QueuedTrace {
    let step = |step, kind: &str, title: &str, failed| DigestStep {
        step,
        message: step,
        kind: kind.to_owned(),
        title: title.to_owned(),
        failed,
    };
    let listed = vec![
        step(1, "user", "asked", false),
        step(2, "tool_call", "lookup_order", false),
        step(3, "tool_result", "error: not found", true),
        step(4, "assistant", "said", false),
    ];
    QueuedTrace {
        trace_id: TraceId::generate(),
        leased_until: chrono::DateTime::UNIX_EPOCH,
        created_at: chrono::DateTime::UNIX_EPOCH,
        model: Some("m1".to_owned()),
        link: Link::None,
        deferred_by: None,
        deferred_note: None,
        score: 1.0,
        reasons: Vec::new(),
        digest: TraceDigest {
            task: task.to_owned(),
            task_is_cut: false,
            answer: format!("answer to {task}"),
            answer_is_cut: false,
            steps: Some(DigestSteps { total: 4, by_kind: BTreeMap::new(), listed }),
            signals: Vec::new(),
            memories: Vec::new(),
        },
    }
}

/// A state and a clock.
struct TestSession {
    state: ReviewState,
    now: Duration,
}

impl TestSession {
    /// With this many runs, the first of which is on the screen long enough for a verdict.
    fn with(runs: usize) -> Self {
        let mut session = Self { state: ReviewState::new(30), now: FIRST };
        session.on(Event::Tick);
        session.arrive(runs);
        session.wait(GUARD);
        session
    }

    fn on(&mut self, event: Event) -> Vec<Effect> {
        reduce(&mut self.state, event, self.now)
    }

    fn arrive(&mut self, runs: usize) {
        let items = (0..runs).map(|number| trace(&format!("task {number}"))).collect();
        self.on(Event::Fetched(QueuedTraces { items, remaining: 9 }));
    }

    /// Paints, and lets time pass.
    fn wait(&mut self, time: Duration) {
        self.on(Event::Painted);
        self.now += time;
    }

    fn press(&mut self, keys: &str) -> Vec<Effect> {
        keys.chars().flat_map(|key| self.on(Event::Key(Key::Char(key)))).collect()
    }

    fn key(&mut self, key: Key) -> Vec<Effect> {
        self.on(Event::Key(key))
    }

    /// A verdict after a look that was long enough.
    fn decide(&mut self, keys: &str) -> Vec<Effect> {
        self.wait(GUARD);
        self.press(keys)
    }

    fn task(&self) -> &str {
        self.state.queue.current().map_or("", |item| &item.trace.digest.task)
    }
}

/// What is sent, without asking for more runs.
fn sent(effects: &[Effect]) -> Vec<&Submission> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send { submission, .. } => Some(submission),
            _ => None,
        })
        .collect()
}

fn review(result: ReviewResult, feedback: Option<&str>) -> Submission {
    Submission::Review { result, feedback: feedback.map(str::to_owned), replace: false }
}

#[test]
fn a_pass_is_sent_and_the_next_run_is_shown() {
    let mut session = TestSession::with(3);

    let effects = session.decide("y");

    assert_eq!(sent(&effects), [&review(ReviewResult::Pass, None)]);
    assert_eq!((session.task(), session.state.tally.passed), ("task 1", 1));
}

#[test]
fn verdict_keys_do_nothing_until_a_run_was_on_the_screen_for_a_quarter_of_a_second() {
    let mut session = TestSession::with(3);
    session.decide("y");
    session.on(Event::Painted);
    session.now += GUARD - Duration::from_millis(1);

    for key in ["y", "n", "N", "1", "2"] {
        assert_eq!(sent(&session.press(key)), Vec::<&Submission>::new(), "{key}");
        assert_eq!(session.state.mode, Mode::Reading, "{key}");
    }
    // Not even painted.
    session.press("j");
    session.now += GUARD * 4;
    assert_eq!(session.press("y"), []);

    session.wait(GUARD);
    assert_eq!(sent(&session.press("y")).len(), 1);
}

#[test]
fn a_key_that_is_held_down_decides_one_run_and_no_more() {
    let mut session = TestSession::with(4);
    session.wait(GUARD);

    let effects: Vec<Effect> = (0..200)
        .flat_map(|_| {
            let effects = session.press("y");
            session.wait(Duration::from_millis(33));
            effects
        })
        .collect();

    assert_eq!(sent(&effects).len(), 1);
}

#[test]
fn a_fail_asks_what_was_wrong_and_is_sent_with_it() {
    let mut session = TestSession::with(2);
    assert_eq!(session.decide("n"), []);
    assert_eq!(session.state.mode, Mode::Failing);
    assert_eq!(sent(&session.key(Key::Enter)), Vec::<&Submission>::new());

    session.press("yes, nq?");
    let effects = session.key(Key::Enter);

    assert_eq!(sent(&effects), [&review(ReviewResult::Fail, Some("yes, nq?"))]);
    assert_eq!((session.task(), session.state.mode), ("task 1", Mode::Reading));
}

#[test]
fn escape_cancels_a_fail_and_keeps_its_text() {
    let mut session = TestSession::with(2);
    session.decide("nwrong");

    session.key(Key::Escape);

    assert_eq!((session.task(), session.state.tally), ("task 0", Tally::default()));
    let effects = session.decide("y");
    assert_eq!(sent(&effects), [&review(ReviewResult::Pass, Some("wrong"))]);
}

#[test]
fn feedback_without_a_verdict_asks_for_one_afterwards() {
    let mut session = TestSession::with(2);
    session.press("fgood tone");
    assert_eq!(session.key(Key::Enter), []);
    assert_eq!(session.state.mode, Mode::Asking);

    let effects = session.decide("n");

    assert_eq!(sent(&effects), [&review(ReviewResult::Fail, Some("good tone"))]);
}

#[test]
fn a_fail_without_feedback_needs_a_capital_n() {
    let mut session = TestSession::with(2);

    assert_eq!(sent(&session.decide("N")), [&review(ReviewResult::Fail, None)]);
}

#[test]
fn enter_and_space_alone_give_no_verdict() {
    let mut session = TestSession::with(2);
    session.wait(GUARD);

    assert_eq!(session.key(Key::Enter), []);
    assert_eq!(session.press(" "), []);
    assert_eq!(session.state.tally, Tally::default());
}

#[test]
fn deferring_asks_for_how_long() {
    let mut session = TestSession::with(2);
    assert_eq!(session.press("d"), []);
    assert_eq!(session.press("y"), [], "the verdict key belongs to the question");

    let effects = session.press("t");

    assert_eq!(sent(&effects), [&Submission::Defer { seconds: 86_400, note: None }]);
    assert_eq!((session.state.tally.deferred, session.task()), (1, "task 1"));
}

#[test]
fn skipping_gives_the_run_back_and_counts_as_nothing() {
    let mut session = TestSession::with(2);
    let at = session.state.queue.current_id().unwrap();

    let effects = session.press("s");

    assert!(effects.contains(&Effect::Release(vec![at])), "{effects:?}");
    assert_eq!((session.state.tally, session.task()), (Tally::default(), "task 1"));
}

#[test]
fn undo_removes_the_newest_verdict_and_shows_its_run() {
    let mut session = TestSession::with(3);
    let first = session.state.queue.current_id().unwrap();
    session.decide("y");
    session.decide("N");
    let reviewed = ReviewId::generate();
    let submission = review(ReviewResult::Pass, None);
    let outcome = SendOutcome::Accepted { review: Some(reviewed) };
    session.on(Event::Sent { trace: first, submission, outcome });

    let newest = session.press("u");
    assert_eq!((session.task(), session.state.tally.failed), ("task 1", 0));
    let older = session.press("u");
    assert_eq!((session.task(), session.state.tally), ("task 0", Tally::default()));
    session.press("u");

    assert!(matches!(newest[0], Effect::Undo { review: None, .. }), "{newest:?}");
    assert_eq!(older[0], Effect::Undo { trace: first, review: Some(reviewed) });
    assert!(session.state.notice.as_deref().unwrap().contains("no verdict"));
}

#[test]
fn a_conflicting_verdict_can_replace_the_existing_one_or_be_dropped() {
    let mut session = TestSession::with(3);
    let trace = session.state.queue.current_id().unwrap();
    session.decide("y");
    let existing = ExistingReview {
        reviewer: "ana".to_owned(),
        result: ReviewResult::Fail,
        at: chrono::DateTime::UNIX_EPOCH,
    };
    let conflict = || Event::Sent {
        trace,
        submission: review(ReviewResult::Pass, None),
        outcome: SendOutcome::Conflict { existing: Some(existing.clone()) },
    };

    session.on(conflict());
    assert_eq!((session.state.tally.passed, session.state.conflicts.len()), (0, 1));
    assert!(!session.press("u").iter().any(|effect| matches!(effect, Effect::Undo { .. })));
    let effects = session.press("r");

    let replaced = Submission::Review { result: ReviewResult::Pass, feedback: None, replace: true };
    assert_eq!(sent(&effects), [&replaced]);
    assert_eq!((session.state.tally.passed, session.task()), (1, "task 1"));
    session.on(conflict());
    assert_eq!(session.press("x"), []);
    assert_eq!((session.state.tally.passed, session.state.conflicts.len()), (0, 0));
}

#[test]
fn runs_are_prefetched_and_never_more_than_will_be_decided() {
    let mut state = ReviewState::new(2);
    assert_eq!(reduce(&mut state, Event::Tick, FIRST), [Effect::Fetch(2)]);
    assert_eq!(reduce(&mut state, Event::Tick, FIRST), [], "one fetch at a time");
    let items = vec![trace("a"), trace("b")];
    assert_eq!(reduce(&mut state, Event::Fetched(QueuedTraces { items, remaining: 5 }), FIRST), []);
    reduce(&mut state, Event::Painted, FIRST);

    let effects = reduce(&mut state, Event::Key(Key::Char('y')), FIRST + GUARD);

    assert!(matches!(effects[..], [Effect::Send { .. }]), "{effects:?}");
}

#[test]
fn an_empty_queue_is_fetched_again_only_after_a_pause() {
    let mut session = TestSession::with(1);
    session.arrive(0);
    assert!(!session.decide("y").iter().any(|effect| matches!(effect, Effect::Fetch(_))));

    assert_eq!(session.on(Event::Tick), [Effect::Fetch(4)]);
}

#[test]
fn a_run_with_a_lost_lease_leaves_the_queue() {
    let mut session = TestSession::with(2);
    let lost = session.state.queue.current_id().unwrap();

    session.on(Event::LeasesLost(vec![lost]));

    assert_eq!((session.task(), session.state.queue.items().len()), ("task 1", 1));
}

#[test]
fn steps_and_errors_are_selected_without_a_verdict() {
    let mut session = TestSession::with(2);
    session.press("e");
    assert_eq!(session.state.step, 2);
    session.press("]]]");
    assert_eq!(session.state.step, 3);
    session.press("[[[[[");
    assert_eq!(session.state.step, 0);
    session.press("]cwas left out");
    session.key(Key::Enter);

    assert_eq!(session.state.draft().map(TextField::text), Some("step 2: was left out"));
}

#[test]
fn the_full_trajectory_opens_and_closes() {
    let mut session = TestSession::with(2);
    let trace = session.state.queue.current_id().unwrap();
    assert_eq!(session.press("o")[0], Effect::LoadSteps { trace, from: 0 });
    assert!(session.state.trajectory.is_some());

    session.key(Key::Escape);

    assert_eq!(session.state.trajectory, None);
    session.press("oo");
    assert_eq!(session.state.trajectory, None);
}

#[test]
fn pasted_text_is_not_a_key_press() {
    let mut session = TestSession::with(2);
    session.wait(GUARD);
    session.on(Event::Pasted("yyyynnnn".to_owned()));
    assert_eq!((session.state.tally, session.state.mode), (Tally::default(), Mode::Reading));

    session.press("f");
    session.on(Event::Pasted("two\nlines\u{1b}[2J".to_owned()));

    assert_eq!(session.state.draft().map(TextField::text), Some("two lines [2J"));
}

#[test]
fn q_and_control_c_quit_and_nothing_more_is_fetched() {
    for key in [Key::Char('q'), Key::Control('c')] {
        assert_eq!(TestSession::with(1).key(key), [Effect::Quit]);
    }
    let mut writing = TestSession::with(1);
    writing.press("f");
    assert_eq!(writing.press("q"), []);
    assert_eq!(writing.key(Key::Control('c')), [Effect::Quit]);
}
