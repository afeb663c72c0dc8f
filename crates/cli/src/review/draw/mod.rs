//! Draws the review state, at any terminal size. The only state it changes is scrolling, which it limits to the text.

mod bars;
pub(crate) mod context;
mod digest;
mod pages;
#[cfg(test)]
mod tests;
mod trajectory;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::state::{Mode, ReviewState};
use context::DrawContext;

/// Draws the state.
pub(crate) fn draw(frame: &mut Frame<'_>, state: &mut ReviewState, context: &DrawContext) {
    let area = frame.area();
    let width = usize::from(area.width);
    let head = bars::head(state, context, width);
    let foot = bars::foot(state, context, width, usize::from(area.height));
    let parts = [Constraint::Length(1), Constraint::Min(0), Constraint::Length(rows(foot.len()))];
    let [top, middle, bottom] = Layout::vertical(parts).areas(area);
    frame.render_widget(head, top);
    let height = usize::from(middle.height);
    let body = if state.mode == Mode::Help {
        pages::keys(context, width)
    } else if let Some(view) = &mut state.trajectory {
        trajectory::lines(view, context, width, height)
    } else if state.queue.current().is_none() {
        pages::empty(state, context, width)
    } else {
        let lines = digest::lines(state, context, width, height);
        scrolled(lines, &mut state.scroll, height)
    };
    show(frame, body, middle);
    show(frame, foot, bottom);
}

/// The lines from the scroll position on. Limits the position to the text.
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
