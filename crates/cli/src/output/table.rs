//! Rows for people: no borders, one line a row on a terminal, nothing cut in a pipe.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Row, presets};
use owo_colors::OwoColorize;

use super::plain::plain_line;

const MARKS: [char; 2] = ['>', '~'];

/// A table that is being written.
pub(crate) struct Table {
    table: comfy_table::Table,
    marks: Vec<Option<char>>,
}

impl Table {
    /// With these headings. One that begins with `>` stands over numbers, which end below each other; one that begins
    /// with `~` over text that is cut where the terminal is too narrow. The others are ids and words, which are of no
    /// use when they are cut.
    pub(crate) fn new(headings: &[&str]) -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING).set_truncation_indicator("…");
        table.set_header(headings.iter().map(|heading| heading.trim_start_matches(MARKS)));
        let marks = headings.iter().map(|heading| heading.chars().next().filter(|mark| MARKS.contains(mark)));
        Self { table, marks: marks.collect() }
    }

    /// One more row. Whatever the cells hold, it is made safe for a terminal here.
    pub(crate) fn row(&mut self, cells: &[&str]) {
        let mut row = Row::from(cells.iter().map(|cell| Cell::new(plain_line(cell))));
        row.max_height(1);
        self.table.add_row(row);
    }

    /// Whether there is nothing but headings.
    pub(crate) fn is_empty(&self) -> bool {
        self.table.row_count() == 0
    }

    /// The lines, cut to fit `width` if there is one.
    pub(crate) fn text(mut self, width: Option<u16>, colour: bool) -> String {
        match width {
            Some(width) => {
                self.table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
            }
            None => {
                self.table.set_content_arrangement(ContentArrangement::Disabled);
            }
        }
        for (column, mark) in self.table.column_iter_mut().zip(&self.marks) {
            column.set_padding((0, 2));
            if *mark == Some('>') {
                column.set_cell_alignment(CellAlignment::Right);
            }
            if *mark != Some('~') {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        let text = self.table.trim_fmt();
        match text.split_once('\n') {
            Some((headings, rows)) if colour => format!("{}\n{rows}", headings.dimmed()),
            _ => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["ID", "~TASK", ">STEPS"]);
        table.row(&[
            "1",
            "Refund order 1182,\nwhich arrived\u{1b}[31m broken, and write to the customer",
            "7",
        ]);
        table.row(&["2", "Short", "12"]);
        table
    }

    #[test]
    fn a_row_is_one_line_of_the_terminals_width() {
        let text = table().text(Some(40), false);

        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }

    #[test]
    fn a_pipe_gets_all_of_it() {
        let text = table().text(None, false);

        assert!(text.contains("write to the customer"), "{text}");
        assert!(text.lines().nth(2).unwrap().ends_with(" 12"), "{text:?}");
    }

    #[test]
    fn colour_is_used_where_it_is_wanted() {
        assert!(table().text(None, true).starts_with("\u{1b}["));
    }
}
