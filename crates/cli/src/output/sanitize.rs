//! Makes text safe for a terminal: it cannot move the cursor, change the title or reorder words.

use reflect_types::text::visible;

/// The text without control characters (except line breaks and tabs), bidirectional controls and invisible characters.
pub(crate) fn plain(text: &str) -> String {
    visible(&text.replace('\r', "")).into_owned()
}

/// The same in one line.
pub(crate) fn plain_line(text: &str) -> String {
    let words: Vec<String> = plain(text).split_whitespace().map(str::to_owned).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_removed_and_the_words_stay() {
        let hostile = "a\u{1b}[2J\u{1b}]0;owned\u{7}b\u{9b}31mc\u{7f}\u{8}\rd";

        assert_eq!(plain(hostile), "a[2J]0;ownedb31mcd");
    }

    #[test]
    fn bidi_controls_and_invisible_characters_are_removed() {
        for mark in [
            '\u{202e}',
            '\u{2066}',
            '\u{200f}',
            '\u{61c}',
            '\u{200b}',
            '\u{feff}',
            '\u{e0041}',
            '\u{ad}',
            '\u{fe0f}',
        ] {
            assert_eq!(plain(&format!("pass{mark}fail")), "passfail", "{mark:?}");
        }
    }

    #[test]
    fn ordinary_text_of_any_script_is_unchanged() {
        let text = "naïve\tשלום العربية 中文 👩\u{200d}👧\n";

        assert_eq!(plain(text), text);
        assert_eq!(plain_line(" two\r\nlines\n "), "two lines");
    }
}
