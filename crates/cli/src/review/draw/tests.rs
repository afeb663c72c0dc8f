//! What is on the screen, at sizes from a watch to a wall.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use reflect_api::{DigestMemory, QueueReason, QueuedTraces, RunSignal};
use reflect_types::{MemoryId, MemoryStatus};

use super::*;
use crate::review::desk::{Event, GUARD, Key, sample};

fn desk_with(change: impl FnOnce(&mut reflect_api::QueuedTrace)) -> Desk {
    let mut trace = sample("Refund order 1182, the item arrived broken");
    change(&mut trace);
    let mut desk = Desk::new(30);
    desk.on(Event::Arrived(QueuedTraces { items: vec![trace], remaining: 17 }), Duration::ZERO);
    desk.on(Event::Painted, Duration::ZERO);
    desk
}

fn screen(desk: &mut Desk, facts: &Facts, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, desk, facts)).unwrap();
    let buffer = terminal.backend().buffer();
    let cells: Vec<&str> = buffer.content().iter().map(|cell| cell.symbol()).collect();
    cells.chunks(usize::from(width)).map(|row| row.concat().trim_end().to_owned()).collect()
}

fn shown(desk: &mut Desk, width: u16, height: u16) -> String {
    screen(desk, &Facts { order: "newest", ..Facts::default() }, width, height).join("\n")
}

#[test]
fn a_usual_terminal_shows_the_whole_digest_and_the_keys() {
    let mut desk = desk_with(|trace| {
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

    let seen = shown(&mut desk, 80, 24);

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
        "comes now: thin evidence",
        "y pass",
        "q quit",
    ] {
        assert!(seen.contains(part), "{part:?} is missing:\n{seen}");
    }
    let blind = screen(&mut desk, &Facts { blind: true, ..Facts::default() }, 80, 24).join("\n");
    assert!(!blind.contains("0.62") && !blind.contains("thin evidence"), "{blind}");
}

#[test]
fn every_size_shows_the_task_the_keys_and_nothing_beyond_its_edge() {
    let long = "word ".repeat(500);
    for (width, height) in [(80, 24), (40, 10), (200, 50), (20, 6), (7, 4), (3, 3), (1, 1)] {
        let mut desk = desk_with(|trace| trace.digest.answer = long.clone());

        let rows = screen(&mut desk, &Facts { order: "newest", ..Facts::default() }, width, height);

        if width >= 20 && height >= 6 {
            let seen = rows.join("\n");
            assert!(seen.contains("TASK") && seen.contains("y pass"), "{width}x{height}:\n{seen}");
        }
    }
}

#[test]
fn a_small_screen_scrolls_and_not_beyond_the_end() {
    let mut desk = desk_with(|_| {});
    assert!(!shown(&mut desk, 40, 8).contains("step 1 user"));

    for _ in 0..100 {
        desk.on(Event::Key(Key::Down), Duration::ZERO);
        shown(&mut desk, 40, 8);
    }

    assert!(shown(&mut desk, 40, 8).contains("step 1 user"));
    let before = desk.scroll;
    desk.on(Event::Key(Key::End), Duration::ZERO);
    shown(&mut desk, 40, 8);
    assert_eq!(desk.scroll, before);
}

#[test]
fn escapes_of_a_run_never_reach_the_screen() {
    let hostile = "a\u{1b}[31;1mred\u{1b}]0;owned\u{7}\u{202e}b\u{9b}2J\u{0}c";
    let mut desk = desk_with(|trace| {
        trace.digest.task = hostile.to_owned();
        trace.digest.answer = hostile.to_owned();
        trace.model = Some(hostile.to_owned());
        trace.digest.steps.as_mut().unwrap().listed[0].title = hostile.to_owned();
        trace.deferred_by = Some(hostile.to_owned());
        trace.deferred_note = Some(hostile.to_owned());
    });

    let seen = shown(&mut desk, 120, 40);

    let is_bad = |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
    assert!(!seen.contains(is_bad), "{seen:?}");
    assert!(seen.contains("a[31;1mred]0;ownedb2Jc"), "{seen}");
}

#[test]
fn what_is_written_shows_with_its_keys() {
    let mut desk = desk_with(|_| {});
    desk.on(Event::Key(Key::Char('n')), GUARD);
    for letter in "the order cost 24".chars() {
        desk.on(Event::Key(Key::Char(letter)), GUARD);
    }

    let seen = shown(&mut desk, 80, 24);

    assert!(seen.contains("What was wrong? the order cost 24"), "{seen}");
    assert!(seen.contains("Enter fail it") && seen.contains("Ctrl+E editor"), "{seen}");
    let narrow = shown(&mut desk, 24, 8);
    assert!(narrow.contains("cost 24"), "the end of what is written stays in sight:\n{narrow}");
}

#[test]
fn an_empty_desk_says_what_to_do() {
    let mut desk = Desk::new(30);

    assert!(shown(&mut desk, 60, 10).contains("Nothing waits"));
    desk.on(Event::Key(Key::Char('?')), Duration::ZERO);
    assert!(shown(&mut desk, 60, 24).contains("undo the last verdict"));
}

#[test]
fn verdicts_that_wait_are_counted_with_their_trouble() {
    let mut desk = desk_with(|_| {});
    let facts = Facts { unsent: 3, trouble: Some("cannot reach http://a".to_owned()), ..Facts::default() };

    let seen = screen(&mut desk, &facts, 80, 24);

    assert!(seen[0].starts_with("3 unsent: cannot reach http://a"), "{}", seen[0]);
}
