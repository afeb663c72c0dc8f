//! Key bindings, the same as on the review page of the console. Independent of the terminal library.

use std::time::Duration;

use reflect_types::ReviewResult;

use super::conflicts;
use super::decisions::{
    decide, defer, enter, note_on_step, skip, start_fail, start_writing, submit_text, undo,
};
use super::navigation::{move_by, next_error, scroll_by, step_by, toggle_trajectory};
use crate::review::effects::Effect;
use crate::review::state::{Mode, ReviewState};

/// A key press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Char(char),
    Control(char),
    Enter,
    Escape,
    Backspace,
    Delete,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
}

/// How many lines a page key scrolls.
const PAGE: isize = 10;

pub(super) fn press(state: &mut ReviewState, key: Key, now: Duration) -> Vec<Effect> {
    if key == Key::Control('c') {
        return vec![Effect::Quit];
    }
    match state.mode {
        Mode::Failing | Mode::Writing => press_in_field(state, key),
        Mode::Deferring => press_for_duration(state, key),
        Mode::Asking => press_for_verdict(state, key, now),
        Mode::Help => {
            state.mode = Mode::Reading;
            Vec::new()
        }
        Mode::Reading => press_in_reading(state, key, now),
    }
}

fn press_in_reading(state: &mut ReviewState, key: Key, now: Duration) -> Vec<Effect> {
    if !state.conflicts.is_empty()
        && let Key::Char('r' | 'x') = key
    {
        return conflicts::resolve(state, key == Key::Char('r'));
    }
    match key {
        Key::Char('y' | '1') => decide(state, ReviewResult::Pass, now),
        Key::Char('n' | '2') => start_fail(state, now),
        Key::Char('N') => decide(state, ReviewResult::Fail, now),
        Key::Char('f') => start_writing(state, Mode::Writing),
        Key::Char('c') => note_on_step(state),
        Key::Char('d') => enter(state, Mode::Deferring),
        Key::Char('s') | Key::Right => skip(state),
        Key::Char('u' | 'z') | Key::Control('z') => undo(state),
        Key::Char('j') => move_by(state, 1),
        Key::Char('k') | Key::Left => move_by(state, -1),
        Key::Char('o') => toggle_trajectory(state),
        Key::Char('[') => step_by(state, -1),
        Key::Char(']') => step_by(state, 1),
        Key::Char('e') => next_error(state),
        Key::Up => scroll_by(state, -1),
        Key::Down => scroll_by(state, 1),
        Key::PageUp => scroll_by(state, -PAGE),
        Key::PageDown | Key::Char(' ') => scroll_by(state, PAGE),
        Key::Home => scroll_by(state, isize::MIN),
        Key::End => scroll_by(state, isize::MAX),
        Key::Char('?') => {
            state.mode = Mode::Help;
            Vec::new()
        }
        Key::Escape => {
            state.trajectory = None;
            state.notice = None;
            Vec::new()
        }
        Key::Char('q') => vec![Effect::Quit],
        _ => Vec::new(),
    }
}

fn press_for_verdict(state: &mut ReviewState, key: Key, now: Duration) -> Vec<Effect> {
    match key {
        Key::Char('y' | '1') => decide(state, ReviewResult::Pass, now),
        Key::Char('n' | '2' | 'N') => decide(state, ReviewResult::Fail, now),
        Key::Escape => enter(state, Mode::Reading),
        Key::Char('f') => start_writing(state, Mode::Writing),
        _ => Vec::new(),
    }
}

fn press_for_duration(state: &mut ReviewState, key: Key) -> Vec<Effect> {
    const HOUR: u64 = 3600;
    match key {
        Key::Char('h') => defer(state, HOUR, "for an hour"),
        Key::Char('t') => defer(state, 24 * HOUR, "until tomorrow"),
        Key::Char('w') => defer(state, 7 * 24 * HOUR, "until next week"),
        Key::Escape => enter(state, Mode::Reading),
        _ => Vec::new(),
    }
}

fn press_in_field(state: &mut ReviewState, key: Key) -> Vec<Effect> {
    let Some(trace) = state.queue.current_id() else { return enter(state, Mode::Reading) };
    match key {
        Key::Enter => return submit_text(state),
        Key::Escape => return enter(state, Mode::Reading),
        Key::Control('e') => {
            let text = state.draft().map(|draft| draft.text().to_owned());
            return vec![Effect::Edit(text.unwrap_or_default())];
        }
        _ => {}
    }
    let field = state.drafts.edit(trace);
    match key {
        Key::Char(letter) => field.insert(letter.encode_utf8(&mut [0; 4])),
        Key::Backspace => field.backspace(),
        Key::Delete => field.delete(),
        Key::Left => field.left(),
        Key::Right => field.right(),
        Key::Home | Key::Control('a') => field.home(),
        Key::End => field.end(),
        Key::Control('w') => field.backspace_word(),
        Key::Control('u') => field.backspace_all(),
        _ => {}
    }
    Vec::new()
}

/// Pasted text goes into a text field. It never counts as key presses: that could submit verdicts.
pub(super) fn paste(state: &mut ReviewState, text: &str) -> Vec<Effect> {
    if let (Mode::Failing | Mode::Writing, Some(trace)) = (state.mode, state.queue.current_id()) {
        let line: String =
            text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        state.drafts.edit(trace).insert(&line);
    }
    Vec::new()
}
