//! A session at the desk, key by key.

use reflect_api::{DigestStep, DigestSteps, TraceDigest};
use reflect_types::Link;

use super::*;
use crate::review::mail::Theirs;

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

/// A desk and a clock.
struct Session {
    desk: Desk,
    now: Duration,
}

impl Session {
    /// With so many runs on the desk, and the first of them on the screen for long.
    fn with(runs: usize) -> Self {
        let mut session = Self { desk: Desk::new(30), now: FIRST };
        session.on(Event::Tick);
        session.arrive(runs);
        session.wait(GUARD);
        session
    }

    fn on(&mut self, event: Event) -> Vec<Effect> {
        self.desk.on(event, self.now)
    }

    fn arrive(&mut self, runs: usize) {
        let items = (0..runs).map(|number| trace(&format!("task {number}"))).collect();
        self.on(Event::Arrived(QueuedTraces { items, remaining: 9 }));
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
        self.desk.current().map_or("", |item| &item.trace.digest.task)
    }
}

/// What is sent, without asking for more runs.
fn sent(effects: &[Effect]) -> Vec<&Mail> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send { mail, .. } => Some(mail),
            _ => None,
        })
        .collect()
}

fn review(result: ReviewResult, feedback: Option<&str>) -> Mail {
    Mail::Review { result, feedback: feedback.map(str::to_owned), replace: false }
}

#[test]
fn a_pass_is_sent_and_the_next_run_is_shown() {
    let mut session = Session::with(3);

    let effects = session.decide("y");

    assert_eq!(sent(&effects), [&review(ReviewResult::Pass, None)]);
    assert_eq!((session.task(), session.desk.tally.passed), ("task 1", 1));
}

#[test]
fn verdict_keys_do_nothing_until_a_run_was_on_the_screen_for_a_quarter_of_a_second() {
    let mut session = Session::with(3);
    session.decide("y");
    session.on(Event::Painted);
    session.now += GUARD - Duration::from_millis(1);

    for key in ["y", "n", "N", "1", "2"] {
        assert_eq!(sent(&session.press(key)), Vec::<&Mail>::new(), "{key}");
        assert_eq!(session.desk.mode, Mode::Reading, "{key}");
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
    let mut session = Session::with(4);
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
    let mut session = Session::with(2);
    assert_eq!(session.decide("n"), []);
    assert_eq!(session.desk.mode, Mode::Failing);
    assert_eq!(sent(&session.key(Key::Enter)), Vec::<&Mail>::new());

    session.press("yes, nq?");
    let effects = session.key(Key::Enter);

    assert_eq!(sent(&effects), [&review(ReviewResult::Fail, Some("yes, nq?"))]);
    assert_eq!((session.task(), session.desk.mode), ("task 1", Mode::Reading));
}

#[test]
fn escape_cancels_a_fail_and_keeps_its_words() {
    let mut session = Session::with(2);
    session.decide("nwrong");

    session.key(Key::Escape);

    assert_eq!((session.task(), session.desk.tally), ("task 0", Tally::default()));
    let effects = session.decide("y");
    assert_eq!(sent(&effects), [&review(ReviewResult::Pass, Some("wrong"))]);
}

#[test]
fn feedback_without_a_verdict_asks_for_one_afterwards() {
    let mut session = Session::with(2);
    session.press("fgood tone");
    assert_eq!(session.key(Key::Enter), []);
    assert_eq!(session.desk.mode, Mode::Asking);

    let effects = session.decide("n");

    assert_eq!(sent(&effects), [&review(ReviewResult::Fail, Some("good tone"))]);
}

#[test]
fn a_fail_without_a_word_takes_a_capital() {
    let mut session = Session::with(2);

    assert_eq!(sent(&session.decide("N")), [&review(ReviewResult::Fail, None)]);
}

#[test]
fn enter_and_space_alone_give_no_verdict() {
    let mut session = Session::with(2);
    session.wait(GUARD);

    assert_eq!(session.key(Key::Enter), []);
    assert_eq!(session.press(" "), []);
    assert_eq!(session.desk.tally, Tally::default());
}

#[test]
fn deferring_asks_for_how_long() {
    let mut session = Session::with(2);
    assert_eq!(session.press("d"), []);
    assert_eq!(session.press("y"), [], "the verdict key belongs to the question");

    let effects = session.press("t");

    assert_eq!(sent(&effects), [&Mail::Defer { seconds: 86_400, note: None }]);
    assert_eq!((session.desk.tally.deferred, session.task()), (1, "task 1"));
}

#[test]
fn skipping_gives_the_run_back_and_counts_as_nothing() {
    let mut session = Session::with(2);
    let at = session.desk.at.unwrap();

    let effects = session.press("s");

    assert!(effects.contains(&Effect::Release(vec![at])), "{effects:?}");
    assert_eq!((session.desk.tally, session.task()), (Tally::default(), "task 1"));
}

#[test]
fn undo_takes_the_newest_verdict_back_and_shows_its_run() {
    let mut session = Session::with(3);
    let first = session.desk.at.unwrap();
    session.decide("y");
    session.decide("N");
    let reviewed = ReviewId::generate();
    let mail = review(ReviewResult::Pass, None);
    session.on(Event::Sent { trace: first, mail, sent: Sent::Done { review: Some(reviewed) } });

    let newest = session.press("u");
    assert_eq!((session.task(), session.desk.tally.failed), ("task 1", 0));
    let older = session.press("u");
    assert_eq!((session.task(), session.desk.tally), ("task 0", Tally::default()));
    session.press("u");

    assert!(matches!(newest[0], Effect::Undo { review: None, .. }), "{newest:?}");
    assert_eq!(older[0], Effect::Undo { trace: first, review: Some(reviewed) });
    assert!(session.desk.notice.as_deref().unwrap().contains("no verdict"));
}

#[test]
fn a_verdict_that_came_second_is_ours_to_put_in_its_place_or_to_leave() {
    let mut session = Session::with(3);
    let trace = session.desk.at.unwrap();
    session.decide("y");
    let theirs =
        Theirs { reviewer: "ana".to_owned(), result: ReviewResult::Fail, at: chrono::DateTime::UNIX_EPOCH };
    let conflict = || Event::Sent {
        trace,
        mail: review(ReviewResult::Pass, None),
        sent: Sent::Conflict { theirs: Some(theirs.clone()) },
    };

    session.on(conflict());
    assert_eq!((session.desk.tally.passed, session.desk.conflicts.len()), (0, 1));
    assert!(!session.press("u").iter().any(|effect| matches!(effect, Effect::Undo { .. })));
    let effects = session.press("r");

    let replaced = Mail::Review { result: ReviewResult::Pass, feedback: None, replace: true };
    assert_eq!(sent(&effects), [&replaced]);
    assert_eq!((session.desk.tally.passed, session.task()), (1, "task 1"));
    session.on(conflict());
    assert_eq!(session.press("x"), []);
    assert_eq!((session.desk.tally.passed, session.desk.conflicts.len()), (0, 0));
}

#[test]
fn more_runs_are_asked_for_before_they_are_wanted_and_never_more_than_will_be_decided() {
    let mut desk = Desk::new(2);
    assert_eq!(desk.on(Event::Tick, FIRST), [Effect::Fetch(2)]);
    assert_eq!(desk.on(Event::Tick, FIRST), [], "one question at a time");
    let items = vec![trace("a"), trace("b")];
    assert_eq!(desk.on(Event::Arrived(QueuedTraces { items, remaining: 5 }), FIRST), []);
    desk.on(Event::Painted, FIRST);

    let effects = desk.on(Event::Key(Key::Char('y')), FIRST + GUARD);

    assert!(matches!(effects[..], [Effect::Send { .. }]), "{effects:?}");
}

#[test]
fn an_empty_queue_is_asked_again_only_after_a_while() {
    let mut session = Session::with(1);
    session.desk.fetching = false;
    session.arrive(0);
    assert!(!session.decide("y").iter().any(|effect| matches!(effect, Effect::Fetch(_))));

    assert_eq!(session.on(Event::Tick), [Effect::Fetch(4)]);
}

#[test]
fn a_run_that_somebody_else_got_leaves_the_desk() {
    let mut session = Session::with(2);
    let lost = session.desk.at.unwrap();

    session.on(Event::Lost(vec![lost]));

    assert_eq!((session.task(), session.desk.items.len()), ("task 1", 1));
}

#[test]
fn steps_and_errors_are_walked_through_without_a_verdict() {
    let mut session = Session::with(2);
    session.press("e");
    assert_eq!(session.desk.step, 2);
    session.press("]]]");
    assert_eq!(session.desk.step, 3);
    session.press("[[[[[");
    assert_eq!(session.desk.step, 0);
    session.press("]cwas left out");
    session.key(Key::Enter);

    assert_eq!(session.desk.draft().map(Field::text), Some("step 2: was left out"));
}

#[test]
fn the_whole_run_is_opened_and_closed_and_read_on() {
    let mut session = Session::with(2);
    let trace = session.desk.at.unwrap();
    assert_eq!(session.press("o")[0], Effect::Read { trace, from: 0 });
    assert!(session.desk.whole.is_some());

    session.key(Key::Escape);

    assert_eq!(session.desk.whole, None);
    session.press("oo");
    assert_eq!(session.desk.whole, None);
}

#[test]
fn what_is_pasted_is_no_key() {
    let mut session = Session::with(2);
    session.wait(GUARD);
    session.on(Event::Pasted("yyyynnnn".to_owned()));
    assert_eq!((session.desk.tally, session.desk.mode), (Tally::default(), Mode::Reading));

    session.press("f");
    session.on(Event::Pasted("two\nlines\u{1b}[2J".to_owned()));

    assert_eq!(session.desk.draft().map(Field::text), Some("two lines [2J"));
}

#[test]
fn q_and_control_c_end_it_and_nothing_more_is_asked_for() {
    for key in [Key::Char('q'), Key::Control('c')] {
        assert_eq!(Session::with(1).key(key), [Effect::Quit]);
    }
    let mut writing = Session::with(1);
    writing.press("f");
    assert_eq!(writing.press("q"), []);
    assert_eq!(writing.key(Key::Control('c')), [Effect::Quit]);
}
