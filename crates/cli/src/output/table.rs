//! Tables for people: no borders, one line per row on a terminal, nothing cut in a pipe.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Row, presets};
use owo_colors::OwoColorize;
use uuid::Uuid;

use super::sanitize::plain_line;

const MARKS: [char; 4] = ['>', '~', '?', '#'];
/// The minimum useful width of a text column.
const MIN_TEXT_WIDTH: u16 = 24;
/// The space between two columns.
const GAP: u16 = 2;
/// The shortest form of an id: its time to the millisecond.
const MIN_ID_CHARS: usize = 13;

/// A table.
pub(crate) struct Table {
    headings: Vec<String>,
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

/// A column, from the marks of its heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Column {
    is_number: bool,
    is_text: bool,
    /// Dropped if the terminal is too narrow.
    is_optional: bool,
    is_id: bool,
}

impl Table {
    /// Creates a table with these headings. Marks before a heading: `>` aligns numbers to the right; `~` is text, which is
    /// clipped on a narrow terminal; `?` is a column that is dropped if text columns get too narrow, the last one first;
    /// `#` is an id, which has a short form on a terminal. Columns without a mark are words and are never clipped.
    pub(crate) fn new(headings: &[&str]) -> Self {
        let columns = headings.iter().map(|heading| {
            let marks = &heading[..heading.len() - heading.trim_start_matches(MARKS).len()];
            Column {
                // A heading that consists of a mark, such as `>#`, is its own name.
                is_number: marks.contains('>'),
                is_text: marks.contains('~'),
                is_optional: marks.contains('?'),
                is_id: marks.contains('#') && marks.len() < heading.len(),
            }
        });
        let names = headings.iter().map(|heading| match heading.trim_start_matches(MARKS) {
            "" => heading.chars().last().map(String::from).unwrap_or_default(),
            name => name.to_owned(),
        });
        Self { headings: names.collect(), columns: columns.collect(), rows: Vec::new() }
    }

    /// Adds a row. Cells are sanitized.
    pub(crate) fn row(&mut self, cells: &[&str]) {
        self.rows.push(cells.iter().map(|cell| plain_line(cell)).collect());
    }

    /// Whether there are no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Renders the table, fitted to `width` if there is one.
    pub(crate) fn text(mut self, width: Option<u16>, colour: bool) -> String {
        if width.is_some() {
            self.shorten_ids();
        }
        let mut table = self.filled();
        let (hidden, min_width) = width.map(|width| self.hidden_columns(&table, width)).unwrap_or_default();
        match width {
            Some(width) => {
                table.set_content_arrangement(ContentArrangement::Dynamic);
                // If it is still too wide, the terminal wraps the line.
                table.set_width(width.max(min_width));
            }
            None => {
                table.set_content_arrangement(ContentArrangement::Disabled);
            }
        }
        for (index, (column, kind)) in table.column_iter_mut().zip(&self.columns).enumerate() {
            column.set_padding((0, GAP));
            if kind.is_number {
                column.set_cell_alignment(CellAlignment::Right);
            }
            if hidden.contains(&index) {
                column.set_constraint(ColumnConstraint::Hidden);
            } else if !kind.is_text {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        let text = table.trim_fmt();
        match text.split_once('\n') {
            Some((headings, rows)) if colour => format!("{}\n{rows}", headings.dimmed()),
            _ => text,
        }
    }

    fn filled(&self) -> comfy_table::Table {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING).set_truncation_indicator("…");
        let mut names = Row::from(&self.headings);
        names.max_height(1);
        table.set_header(names);
        for cells in &self.rows {
            let mut row = Row::from(cells.iter().map(Cell::new));
            row.max_height(1);
            table.add_row(row);
        }
        table
    }

    /// Shortens the ids of each id column to the same number of characters, with which they differ.
    fn shorten_ids(&mut self) {
        for (index, _) in self.columns.iter().enumerate().filter(|(_, column)| column.is_id) {
            let ids: Vec<&str> =
                self.rows.iter().filter_map(|row| row.get(index).map(String::as_str)).collect();
            let chars = short_id_chars(&ids);
            for id in self.rows.iter_mut().filter_map(|row| row.get_mut(index)) {
                if id.parse::<Uuid>().is_ok() {
                    id.truncate(chars);
                }
            }
        }
    }
}

/// How many characters make different ids different.
fn short_id_chars(ids: &[&str]) -> usize {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let same =
        ids.windows(2).map(|pair| pair[0].bytes().zip(pair[1].bytes()).take_while(|(a, b)| a == b).count());
    let chars = same.max().map_or(0, |same| same + 1).max(MIN_ID_CHARS);
    // Not directly after a hyphen.
    if [9, 14, 19, 24].contains(&chars) { chars + 1 } else { chars }
}

impl Table {
    /// The columns to hide, and the minimum width of the others.
    fn hidden_columns(&self, table: &comfy_table::Table, width: u16) -> (Vec<usize>, u16) {
        let widths = table.column_max_content_widths();
        let min_width = |index: usize| {
            let full = widths.get(index).copied().unwrap_or_default();
            if self.columns[index].is_text { full.min(MIN_TEXT_WIDTH) } else { full }
        };
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        let mut hidden = Vec::new();
        loop {
            let needed = shown.iter().map(|index| min_width(*index) + GAP).sum::<u16>();
            let last = shown.iter().rposition(|index| self.columns[*index].is_optional);
            match last.filter(|_| needed > width) {
                Some(last) => hidden.push(shown.remove(last)),
                None => return (hidden, needed),
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
    fn output_to_a_pipe_is_not_clipped() {
        let text = table().text(None, false);

        assert!(text.contains("write to the customer"), "{text}");
        assert!(text.lines().nth(2).unwrap().ends_with(" 12"), "{text:?}");
    }

    #[test]
    fn colour_is_used_only_if_enabled() {
        assert!(table().text(None, true).starts_with("\u{1b}["));
    }

    #[test]
    fn optional_columns_are_dropped_for_text() {
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

    #[test]
    fn ids_are_short_on_a_terminal_and_whole_in_a_pipe() {
        let table = |ids: &[&str]| {
            let mut table = Table::new(&[">#", "#ID", "~TASK"]);
            ids.iter().for_each(|id| table.row(&["1", id, "a task"]));
            table
        };
        let ids = ["01a1dd7e-3ee9-72ee-8967-c21adbd96373", "01a1dd7e-3ee9-73ee-8967-c21adbd96373"];

        let (one, two) = (table(&ids[..1]).text(Some(80), false), table(&ids).text(Some(80), false));

        assert!(one.contains("01a1dd7e-3ee9 ") && one.starts_with('#'), "{one}");
        assert!(two.contains("01a1dd7e-3ee9-72 ") && two.contains("01a1dd7e-3ee9-73 "), "{two}");
        assert!(table(&ids).text(None, false).contains(ids[1]));
        assert!(table(&["(no change)"]).text(Some(80), false).contains("(no change)"));
    }
}
