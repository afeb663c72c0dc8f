//! A one-line text input with a cursor.

use unicode_segmentation::UnicodeSegmentation;

/// The text and its cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TextField {
    text: String,
    /// A byte offset, always between two graphemes.
    cursor: usize,
}

impl TextField {
    pub(crate) fn of(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { cursor: text.len(), text }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The text before and after the cursor.
    pub(crate) fn halves(&self) -> (&str, &str) {
        self.text.split_at(self.cursor)
    }

    pub(crate) fn insert(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    pub(crate) fn left(&mut self) {
        self.cursor -= self.halves().0.graphemes(true).next_back().map_or(0, str::len);
    }

    pub(crate) fn right(&mut self) {
        self.cursor += self.halves().1.graphemes(true).next().map_or(0, str::len);
    }

    pub(crate) fn home(&mut self) {
        self.cursor = 0;
    }

    pub(crate) fn end(&mut self) {
        self.cursor = self.text.len();
    }

    /// Deletes the grapheme before the cursor.
    pub(crate) fn backspace(&mut self) {
        let end = self.cursor;
        self.left();
        self.text.replace_range(self.cursor..end, "");
    }

    /// Deletes the grapheme after the cursor.
    pub(crate) fn delete(&mut self) {
        let start = self.cursor;
        self.right();
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
    }

    /// Deletes the word before the cursor.
    pub(crate) fn backspace_word(&mut self) {
        let (before, _) = self.halves();
        let start = before
            .trim_end()
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
    }

    /// Deletes everything before the cursor.
    pub(crate) fn backspace_all(&mut self) {
        self.text.replace_range(..self.cursor, "");
        self.cursor = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grapheme_of_several_code_points_is_one_step_and_one_deletion() {
        let mut field = TextField::of("ae\u{301}👩‍🔧b");

        field.left();
        field.backspace();
        assert_eq!((field.text(), field.halves().0), ("ae\u{301}b", "ae\u{301}"));
        field.backspace();
        field.insert("x");
        field.delete();
        field.delete();

        assert_eq!((field.text(), field.halves()), ("ax", ("ax", "")));
    }

    #[test]
    fn words_and_lines_are_deleted_as_a_whole() {
        let mut field = TextField::of("the wrong  order ");

        field.backspace_word();
        assert_eq!(field.text(), "the wrong  ");
        field.backspace_word();
        assert_eq!(field.text(), "the ");
        field.home();
        field.backspace_word();
        field.end();
        field.backspace_all();

        assert_eq!(field, TextField::default());
    }
}
