//! The terminal as a screen: taken over at the start, given back at the end, whatever the end is.

use std::io::{self, Stdout, Write, stdout};
use std::sync::Once;

use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use super::desk::{self, Key};
use super::draw::{Facts, draw};

static ON_PANIC: Once = Once::new();

/// The screen. Dropping it gives the terminal back.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    pub(crate) fn take() -> io::Result<Self> {
        ON_PANIC.call_once(|| {
            let before = std::panic::take_hook();
            // First, so that the message can be read.
            std::panic::set_hook(Box::new(move |panic| {
                give_back();
                before(panic);
            }));
        });
        enable_raw_mode()?;
        let taken = execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)
            .and_then(|()| Terminal::new(CrosstermBackend::new(stdout())));
        match taken {
            Ok(terminal) => Ok(Self { terminal }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }

    pub(crate) fn show(&mut self, desk: &mut desk::Desk, facts: &Facts) -> io::Result<()> {
        self.terminal.draw(|frame| draw(frame, desk, facts)).map(|_| ())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Undoes everything that was done to the terminal. Harmless when nothing was.
fn give_back() {
    let _ = disable_raw_mode();
    let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
    let _ = stdout().flush();
}

/// What an event of the terminal means at the desk; none for what means nothing but that it has to be drawn again.
pub(crate) fn event(event: &Event) -> Option<desk::Event> {
    match event {
        Event::Key(key) if key.kind == KeyEventKind::Press => self::key(*key).map(desk::Event::Key),
        Event::Paste(text) => Some(desk::Event::Pasted(text.clone())),
        _ => None,
    }
}

fn key(event: KeyEvent) -> Option<Key> {
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    let other = event.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SUPER | KeyModifiers::META);
    match event.code {
        KeyCode::Char(_) if other => None,
        // What terminals send for Ctrl+Enter where they can tell it from Enter only so.
        KeyCode::Char('j' | 'm') if control => Some(Key::Enter),
        KeyCode::Char(letter) if control => Some(Key::Control(letter.to_ascii_lowercase())),
        KeyCode::Char(letter) => Some(Key::Char(letter)),
        KeyCode::Enter => Some(Key::Enter),
        KeyCode::Esc => Some(Key::Escape),
        KeyCode::Backspace => Some(Key::Backspace),
        KeyCode::Delete => Some(Key::Delete),
        KeyCode::Left => Some(Key::Left),
        KeyCode::Right => Some(Key::Right),
        KeyCode::Up => Some(Key::Up),
        KeyCode::Down => Some(Key::Down),
        KeyCode::Home => Some(Key::Home),
        KeyCode::End => Some(Key::End),
        KeyCode::PageUp => Some(Key::PageUp),
        KeyCode::PageDown => Some(Key::PageDown),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(code: KeyCode, modifiers: KeyModifiers) -> Option<Key> {
        key(KeyEvent::new(code, modifiers))
    }

    #[test]
    fn a_letter_with_alt_is_no_verdict_and_control_enter_is_enter() {
        assert_eq!(pressed(KeyCode::Char('y'), KeyModifiers::NONE), Some(Key::Char('y')));
        assert_eq!(pressed(KeyCode::Char('y'), KeyModifiers::ALT), None);
        assert_eq!(pressed(KeyCode::Char('N'), KeyModifiers::SHIFT), Some(Key::Char('N')));
        assert_eq!(pressed(KeyCode::Enter, KeyModifiers::CONTROL), Some(Key::Enter));
        assert_eq!(pressed(KeyCode::Char('j'), KeyModifiers::CONTROL), Some(Key::Enter));
    }

    #[test]
    fn a_key_that_repeats_itself_is_not_pressed() {
        let mut held = KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE);
        held.kind = KeyEventKind::Repeat;

        assert!(event(&Event::Key(held)).is_none());
    }
}
