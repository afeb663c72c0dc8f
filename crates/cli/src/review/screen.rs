//! The terminal in raw mode on the alternate screen. It is restored when the screen is dropped and on a panic.

use std::io::{self, Stdout, Write, stdout};
use std::sync::Once;

use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use super::draw::context::DrawContext;
use super::draw::draw;
use super::reducer::{self, Key};
use super::state::ReviewState;

static ON_PANIC: Once = Once::new();

/// The screen. Dropping it restores the terminal.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    pub(crate) fn take() -> io::Result<Self> {
        ON_PANIC.call_once(|| {
            let before = std::panic::take_hook();
            // First, or the message would be lost with the alternate screen.
            std::panic::set_hook(Box::new(move |panic| {
                restore();
                before(panic);
            }));
        });
        enable_raw_mode()?;
        let taken = execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)
            .and_then(|()| Terminal::new(CrosstermBackend::new(stdout())));
        match taken {
            Ok(terminal) => Ok(Self { terminal }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }

    pub(crate) fn show(&mut self, state: &mut ReviewState, context: &DrawContext) -> io::Result<()> {
        self.terminal.draw(|frame| draw(frame, state, context)).map(|_| ())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal. Harmless if it was not changed.
fn restore() {
    let _ = disable_raw_mode();
    let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
    let _ = stdout().flush();
}

/// Converts a terminal event. `None` for events that only cause a redraw.
pub(crate) fn event(event: &Event) -> Option<reducer::Event> {
    match event {
        Event::Key(key) if key.kind == KeyEventKind::Press => self::key(*key).map(reducer::Event::Key),
        Event::Paste(text) => Some(reducer::Event::Pasted(text.clone())),
        _ => None,
    }
}

fn key(event: KeyEvent) -> Option<Key> {
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    let other = event.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SUPER | KeyModifiers::META);
    match event.code {
        KeyCode::Char(_) if other => None,
        // Some terminals send these for Ctrl+Enter.
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
    fn a_letter_with_alt_is_ignored_and_control_enter_is_enter() {
        assert_eq!(pressed(KeyCode::Char('y'), KeyModifiers::NONE), Some(Key::Char('y')));
        assert_eq!(pressed(KeyCode::Char('y'), KeyModifiers::ALT), None);
        assert_eq!(pressed(KeyCode::Char('N'), KeyModifiers::SHIFT), Some(Key::Char('N')));
        assert_eq!(pressed(KeyCode::Enter, KeyModifiers::CONTROL), Some(Key::Enter));
        assert_eq!(pressed(KeyCode::Char('j'), KeyModifiers::CONTROL), Some(Key::Enter));
    }

    #[test]
    fn an_auto_repeated_key_is_ignored() {
        let mut held = KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE);
        held.kind = KeyEventKind::Repeat;

        assert!(event(&Event::Key(held)).is_none());
    }
}
