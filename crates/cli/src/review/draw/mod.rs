//! The desk on the screen, at any size. What a key does is decided elsewhere; only scrolling is held within what there
//! is to see.

mod bars;
mod digest;
mod pages;
#[cfg(test)]
mod tests;
mod whole;

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

pub(crate) use crate::output::{clipped, wrapped};

use super::desk::{Desk, Mode};

/// What the screen shows beside the desk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    /// Verdicts that are not sent yet.
    pub(crate) unsent: usize,
    /// Why they are not.
    pub(crate) trouble: Option<String>,
    /// How long the session has taken.
    pub(crate) elapsed: Duration,
    /// In which order runs come.
    pub(crate) order: &'static str,
    /// Whether what could sway a reviewer is left out.
    pub(crate) blind: bool,
    /// Whether colours are wanted.
    pub(crate) colour: bool,
}

impl Facts {
    fn accent(&self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    fn bad(&self) -> Style {
        self.accent(Color::Red).add_modifier(Modifier::BOLD)
    }

    fn good(&self) -> Style {
        self.accent(Color::Green)
    }

    fn heading(&self) -> Style {
        self.accent(Color::Cyan).add_modifier(Modifier::BOLD)
    }
}

pub(super) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
pub(super) const MARKED: Style = Style::new().add_modifier(Modifier::REVERSED);

/// Draws the desk.
pub(crate) fn draw(frame: &mut Frame<'_>, desk: &mut Desk, facts: &Facts) {
    let area = frame.area();
    let width = usize::from(area.width);
    let head = bars::head(desk, facts, width);
    let foot = bars::foot(desk, facts, width, usize::from(area.height));
    let parts = [Constraint::Length(1), Constraint::Min(0), Constraint::Length(rows(foot.len()))];
    let [top, middle, bottom] = Layout::vertical(parts).areas(area);
    frame.render_widget(head, top);
    let height = usize::from(middle.height);
    let body = if desk.mode == Mode::Help {
        pages::keys(facts, width)
    } else if let Some(whole) = &mut desk.whole {
        whole::lines(whole, facts, width, height)
    } else if desk.current().is_none() {
        pages::nothing(desk, facts, width)
    } else {
        let lines = digest::lines(desk, facts, width, height);
        scrolled(lines, &mut desk.scroll, height)
    };
    show(frame, body, middle);
    show(frame, foot, bottom);
}

/// The lines from where they are scrolled to; further than the end they cannot be.
fn scrolled<'a>(lines: Vec<Line<'a>>, scroll: &mut usize, height: usize) -> Vec<Line<'a>> {
    *scroll = (*scroll).min(lines.len().saturating_sub(height));
    lines.into_iter().skip(*scroll).collect()
}

fn show(frame: &mut Frame<'_>, lines: Vec<Line<'_>>, area: Rect) {
    frame.render_widget(Paragraph::new(lines), area);
}

fn rows(lines: usize) -> u16 {
    u16::try_from(lines).unwrap_or(u16::MAX)
}

/// A line in one style.
fn styled(text: impl Into<String>, style: Style) -> Line<'static> {
    Line::from(Span::styled(text.into(), style))
}
