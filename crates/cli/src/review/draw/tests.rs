//! Screens at several sizes.

use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use reflect_api::{DigestMemory, QueueReason, QueuedTraces, RunSignal};
use reflect_types::{MemoryId, MemoryStatus};

use super::*;
use crate::review::reducer::tests::trace as sample;
use crate::review::reducer::{Event, Key, reduce};
use crate::review::state::key_guard::GUARD;

fn state_with(change: impl FnOnce(&mut reflect_api::QueuedTrace)) -> ReviewState {
    let mut trace = sample("Refund order 1182, the item arrived broken");
    change(&mut trace);
    let mut state = ReviewState::new(30);
    reduce(&mut state, Event::Fetched(QueuedTraces { items: vec![trace], remaining: 17 }), Duration::ZERO);
    reduce(&mut state, Event::Painted, Duration::ZERO);
    state
}

fn screen(state: &mut ReviewState, context: &DrawContext, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, state, context)).unwrap();
    let buffer = terminal.backend().buffer();
    let cells: Vec<&str> = buffer.content().iter().map(|cell| cell.symbol()).collect();
    cells.chunks(usize::from(width)).map(|row| row.concat().trim_end().to_owned()).collect()
}

fn shown(state: &mut ReviewState, width: u16, height: u16) -> String {
    screen(state, &DrawContext { order: "newest", ..DrawContext::default() }, width, height).join("\n")
}

#[test]
fn a_usual_terminal_shows_the_whole_digest_and_the_keys() {
    let mut state = state_with(|trace| {
        trace.digest.signals = vec![RunSignal { signal: "tool_error".to_owned(), count: 2, step: Some(3) }];
        trace.reasons = vec![QueueReason { reason: "thin_evidence".to_owned(), weight: 1.0 }];
        trace.digest.memories = vec![DigestMemory {
            id: MemoryId::generate(),
            summary: "Verify the order exists".to_owned(),
            status: MemoryStatus::Active,
            q_value: 0.62,
            q_value_after_pass: 0.73,
            q_value_after_fail: 0.43,
            evidence: 2,
        }];
    });

    let seen = shown(&mut state, 80, 24);

    for part in [
        "Review 0/30",
        "17 more",
        "Refund order 1182",
        "answer to Refund",
        "4 steps, 1 error",
        "u  t  =! a",
        "step 1 user: asked",
        "tool error x2",
        "0.62 (pass 0.73, fail 0.43) Verify the order exists",
        "chosen for: thin evidence",
        "y pass",
        "q quit",
    ] {
        assert!(seen.contains(part), "{part:?} is missing:\n{seen}");
    }
    let blind = screen(&mut state, &DrawContext { blind: true, ..DrawContext::default() }, 80, 24).join("\n");
    assert!(!blind.contains("0.62") && !blind.contains("thin evidence"), "{blind}");
}

#[test]
fn every_size_shows_the_task_the_keys_and_nothing_beyond_its_edge() {
    let long = "word ".repeat(500);
    for (width, height) in [(80, 24), (40, 10), (200, 50), (20, 6), (7, 4), (3, 3), (1, 1)] {
        let mut state = state_with(|trace| trace.digest.answer = long.clone());

        let rows =
            screen(&mut state, &DrawContext { order: "newest", ..DrawContext::default() }, width, height);

        if width >= 20 && height >= 6 {
            let seen = rows.join("\n");
            assert!(seen.contains("TASK") && seen.contains("y pass"), "{width}x{height}:\n{seen}");
        }
    }
}

#[test]
fn a_small_screen_scrolls_and_not_beyond_the_end() {
    let mut state = state_with(|_| {});
    assert!(!shown(&mut state, 40, 8).contains("step 1 user"));

    for _ in 0..100 {
        reduce(&mut state, Event::Key(Key::Down), Duration::ZERO);
        shown(&mut state, 40, 8);
    }

    assert!(shown(&mut state, 40, 8).contains("step 1 user"));
    let before = state.scroll;
    reduce(&mut state, Event::Key(Key::End), Duration::ZERO);
    shown(&mut state, 40, 8);
    assert_eq!(state.scroll, before);
}

#[test]
fn escapes_of_a_run_never_reach_the_screen() {
    let hostile = "a\u{1b}[31;1mred\u{1b}]0;owned\u{7}\u{202e}b\u{9b}2J\u{0}c";
    let mut state = state_with(|trace| {
        trace.digest.task = hostile.to_owned();
        trace.digest.answer = hostile.to_owned();
        trace.model = Some(hostile.to_owned());
        trace.digest.steps.as_mut().unwrap().listed[0].title = hostile.to_owned();
        trace.deferred_by = Some(hostile.to_owned());
        trace.deferred_note = Some(hostile.to_owned());
    });

    let seen = shown(&mut state, 120, 40);

    let is_bad = |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
    assert!(!seen.contains(is_bad), "{seen:?}");
    assert!(seen.contains("a[31;1mred]0;ownedb2Jc"), "{seen}");
}

#[test]
fn written_text_is_shown_with_its_keys() {
    let mut state = state_with(|_| {});
    reduce(&mut state, Event::Key(Key::Char('n')), GUARD);
    for letter in "the order cost 24".chars() {
        reduce(&mut state, Event::Key(Key::Char(letter)), GUARD);
    }

    let seen = shown(&mut state, 80, 24);

    assert!(seen.contains("What was wrong? the order cost 24"), "{seen}");
    assert!(seen.contains("Enter submit fail") && seen.contains("Ctrl+E editor"), "{seen}");
    let narrow = shown(&mut state, 24, 8);
    assert!(narrow.contains("cost 24"), "the end of the text stays visible:\n{narrow}");
}

#[test]
fn an_empty_queue_says_what_to_do() {
    let mut state = ReviewState::new(30);

    assert!(shown(&mut state, 60, 10).contains("No runs are waiting"));
    reduce(&mut state, Event::Key(Key::Char('?')), Duration::ZERO);
    assert!(shown(&mut state, 60, 24).contains("undo the last verdict"));
}

#[test]
fn unsent_verdicts_are_counted_with_the_error() {
    let mut state = state_with(|_| {});
    let context = DrawContext {
        unsent: 3,
        send_error: Some("cannot reach http://a".to_owned()),
        ..DrawContext::default()
    };

    let seen = screen(&mut state, &context, 80, 24);

    assert!(seen[0].starts_with("3 unsent: cannot reach http://a"), "{}", seen[0]);
}

#[test]
fn screens_of_the_review() {
    let mut state = state_with(|trace| {
        trace.trace_id = "01a1dd7e-3ee9-72ee-8967-c21adbd96373".parse().unwrap();
        trace.digest.signals = vec![RunSignal { signal: "tool_error".to_owned(), count: 2, step: Some(3) }];
        trace.reasons = vec![QueueReason { reason: "thin_evidence".to_owned(), weight: 1.0 }];
    });

    insta::assert_snapshot!("review_digest", shown(&mut state, 80, 24));
    reduce(&mut state, Event::Key(Key::Char('?')), GUARD);
    insta::assert_snapshot!("review_help", shown(&mut state, 80, 24));
    insta::assert_snapshot!("review_empty", shown(&mut ReviewState::new(30), 80, 24));
}
