//! What the screen shows besides the state, and the styles of its text.

use std::time::Duration;

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

pub(crate) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
pub(crate) const MARKED: Style = Style::new().add_modifier(Modifier::REVERSED);

/// What the screen shows besides the state.
#[derive(Debug, Clone, Default)]
pub(crate) struct DrawContext {
    /// How many submissions are not sent yet.
    pub(crate) unsent: usize,
    /// Why they could not be sent.
    pub(crate) send_error: Option<String>,
    /// How long the session has taken.
    pub(crate) elapsed: Duration,
    /// The order of the runs, in words.
    pub(crate) order: &'static str,
    /// Whether to hide what could influence the reviewer.
    pub(crate) blind: bool,
    /// Whether to use colour.
    pub(crate) colour: bool,
}

impl DrawContext {
    pub(crate) fn bad(&self) -> Style {
        self.accent(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn good(&self) -> Style {
        self.accent(Color::Green)
    }

    pub(crate) fn heading(&self) -> Style {
        self.accent(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    fn accent(&self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }
}

/// A line in one style.
pub(crate) fn styled(text: impl Into<String>, style: Style) -> Line<'static> {
    Line::from(Span::styled(text.into(), style))
}
