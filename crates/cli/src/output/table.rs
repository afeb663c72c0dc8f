//! Rows for people: no borders, one line a row on a terminal, nothing cut in a pipe.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Row, presets};
use owo_colors::OwoColorize;

use super::plain::plain_line;

const MARKS: [char; 3] = ['>', '~', '?'];
/// Text that gets less of a line than this says nothing.
const LEAST_TEXT: u16 = 24;
/// Between two columns.
const GAP: u16 = 2;

/// A table that is being written.
pub(crate) struct Table {
    table: comfy_table::Table,
    columns: Vec<Column>,
}

/// What the marks of a heading say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Column {
    is_number: bool,
    is_text: bool,
    /// Left out where the terminal is too narrow for all of them.
    may_go: bool,
}

impl Table {
    /// With these headings. One that begins with `>` stands over numbers, which end below each other; one that begins
    /// with `~` over text that is cut where the terminal is too narrow. The others are ids and words, which are of no
    /// use when they are cut. A `?` before that stands for a column that goes, the last one first, where text would get
    /// too little of the line.
    pub(crate) fn new(headings: &[&str]) -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING).set_truncation_indicator("…");
        let mut names = Row::from(headings.iter().map(|heading| heading.trim_start_matches(MARKS)));
        names.max_height(1);
        table.set_header(names);
        let columns = headings.iter().map(|heading| {
            let marks = &heading[..heading.len() - heading.trim_start_matches(MARKS).len()];
            Column {
                is_number: marks.contains('>'),
                is_text: marks.contains('~'),
                may_go: marks.contains('?'),
            }
        });
        Self { table, columns: columns.collect() }
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
        let (gone, least) = width.map(|width| self.without_room(width)).unwrap_or_default();
        match width {
            Some(width) => {
                self.table.set_content_arrangement(ContentArrangement::Dynamic);
                // Too wide is better than unreadable: the terminal breaks the line.
                self.table.set_width(width.max(least));
            }
            None => {
                self.table.set_content_arrangement(ContentArrangement::Disabled);
            }
        }
        for (index, (column, kind)) in self.table.column_iter_mut().zip(&self.columns).enumerate() {
            column.set_padding((0, GAP));
            if kind.is_number {
                column.set_cell_alignment(CellAlignment::Right);
            }
            if gone.contains(&index) {
                column.set_constraint(ColumnConstraint::Hidden);
            } else if !kind.is_text {
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

impl Table {
    /// The columns that have to go so that the others can be read, and what those take at least.
    fn without_room(&self, width: u16) -> (Vec<usize>, u16) {
        let widths = self.table.column_max_content_widths();
        let least = |index: usize| {
            let whole = widths.get(index).copied().unwrap_or_default();
            if self.columns[index].is_text { whole.min(LEAST_TEXT) } else { whole }
        };
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        let mut gone = Vec::new();
        loop {
            let needed = shown.iter().map(|index| least(*index) + GAP).sum::<u16>();
            let last = shown.iter().rposition(|index| self.columns[*index].may_go);
            match last.filter(|_| needed > width) {
                Some(last) => gone.push(shown.remove(last)),
                None => return (gone, needed),
            }
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

    #[test]
    fn columns_that_may_go_leave_room_for_text() {
        let table = || {
            let mut table = Table::new(&["ID", "?>ERR", "~TASK", "?~MODEL"]);
            let id = "01a1dd7e-3ee9-72ee-8967-c21adbd96373";
            table.row(&[id, "0", "Order 1182 arrived broken and the customer wants money", "example-agent"]);
            table
        };

        let (wide, narrow, pipe) =
            (table().text(Some(120), false), table().text(Some(66), false), table().text(None, false));

        assert!(wide.contains("MODEL") && pipe.contains("MODEL") && pipe.contains("wants money"), "{wide}");
        assert!(!narrow.contains("MODEL") && !narrow.contains("ERR"), "{narrow}");
        assert!(narrow.contains("Order 1182 arrived"), "{narrow}");
        let tiny = table().text(Some(30), false);
        assert!(tiny.contains("Order 1182 arrived") && tiny.lines().count() == 2, "{tiny}");
    }
}
