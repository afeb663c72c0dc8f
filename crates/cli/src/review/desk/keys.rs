//! Which key does what. The same keys as on the console's review page; the library that reads them is not known here.

use std::time::Duration;

use reflect_types::ReviewResult;

use super::{Desk, Effect, Mode};

/// A key, as far as any is told from another.
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

/// How far a page key goes; the screen shows at least so many lines.
const PAGE: isize = 10;

impl Desk {
    pub(super) fn key(&mut self, key: Key, now: Duration) -> Vec<Effect> {
        if key == Key::Control('c') {
            return vec![Effect::Quit];
        }
        match self.mode {
            Mode::Failing | Mode::Writing => self.key_in_field(key),
            Mode::Deferring => self.key_for_how_long(key),
            Mode::Asking => self.key_for_verdict(key, now),
            Mode::Help => {
                self.mode = Mode::Reading;
                Vec::new()
            }
            Mode::Reading => self.key_in_reading(key, now),
        }
    }

    fn key_in_reading(&mut self, key: Key, now: Duration) -> Vec<Effect> {
        if !self.conflicts.is_empty()
            && let Key::Char('r' | 'x') = key
        {
            return self.settle_conflict(key == Key::Char('r'));
        }
        match key {
            Key::Char('y' | '1') => self.decide(ReviewResult::Pass, now),
            Key::Char('n' | '2') => self.begin_fail(now),
            Key::Char('N') => self.decide(ReviewResult::Fail, now),
            Key::Char('f') => self.write(Mode::Writing),
            Key::Char('c') => self.note_on_step(),
            Key::Char('d') => self.enter(Mode::Deferring),
            Key::Char('s') | Key::Right => self.skip(),
            Key::Char('u' | 'z') | Key::Control('z') => self.undo(),
            Key::Char('j') => self.move_by(1),
            Key::Char('k') | Key::Left => self.move_by(-1),
            Key::Char('o') => self.open_whole(),
            Key::Char('[') => self.step_by(-1),
            Key::Char(']') => self.step_by(1),
            Key::Char('e') => self.next_error(),
            Key::Up => self.scroll_by(-1),
            Key::Down => self.scroll_by(1),
            Key::PageUp => self.scroll_by(-PAGE),
            Key::PageDown | Key::Char(' ') => self.scroll_by(PAGE),
            Key::Home => self.scroll_by(isize::MIN),
            Key::End => self.scroll_by(isize::MAX),
            Key::Char('?') => {
                self.mode = Mode::Help;
                Vec::new()
            }
            Key::Escape => {
                self.whole = None;
                self.notice = None;
                Vec::new()
            }
            Key::Char('q') => vec![Effect::Quit],
            _ => Vec::new(),
        }
    }

    fn key_for_verdict(&mut self, key: Key, now: Duration) -> Vec<Effect> {
        match key {
            Key::Char('y' | '1') => self.decide(ReviewResult::Pass, now),
            Key::Char('n' | '2' | 'N') => self.decide(ReviewResult::Fail, now),
            Key::Escape => self.enter(Mode::Reading),
            Key::Char('f') => self.write(Mode::Writing),
            _ => Vec::new(),
        }
    }

    fn key_for_how_long(&mut self, key: Key) -> Vec<Effect> {
        const HOUR: u64 = 3600;
        match key {
            Key::Char('h') => self.defer(HOUR, "for an hour"),
            Key::Char('t') => self.defer(24 * HOUR, "until tomorrow"),
            Key::Char('w') => self.defer(7 * 24 * HOUR, "until next week"),
            Key::Escape => self.enter(Mode::Reading),
            _ => Vec::new(),
        }
    }

    fn key_in_field(&mut self, key: Key) -> Vec<Effect> {
        let Some(at) = self.at else { return self.enter(Mode::Reading) };
        match key {
            Key::Enter => return self.submit(),
            Key::Escape => return self.enter(Mode::Reading),
            Key::Control('e') => {
                return vec![Effect::Edit(
                    self.draft().map(|field| field.text().to_owned()).unwrap_or_default(),
                )];
            }
            _ => {}
        }
        let field = self.drafts.entry(at).or_default();
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

    /// What is pasted goes into a field, and never counts as keys.
    pub(super) fn pasted(&mut self, text: &str) -> Vec<Effect> {
        if let (Mode::Failing | Mode::Writing, Some(at)) = (self.mode, self.at) {
            let line: String =
                text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
            self.drafts.entry(at).or_default().insert(&line);
        }
        Vec::new()
    }
}
