//! Wraps and clips text. It is sanitized first.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::sanitize::{plain, plain_line};

const INDENT: &str = "  ";

/// The text in lines of at most this width, broken between words where that is possible.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let text = plain(text).replace('\t', "    ");
    text.trim_end().split('\n').flat_map(|line| wrapped_line(line, width)).collect()
}

fn wrapped_line(line: &str, width: usize) -> Vec<String> {
    let (mut lines, mut current, mut used) = (Vec::new(), String::new(), 0);
    for word in line.split_word_bounds() {
        let wide = word.width();
        if used + wide <= width {
            current.push_str(word);
            used += wide;
            continue;
        }
        if used > 0 {
            lines.push(std::mem::take(&mut current).trim_end().to_owned());
            used = 0;
        }
        if word.trim().is_empty() {
            continue;
        }
        // A word longer than a line is split between graphemes.
        for letter in word.graphemes(true) {
            if used + letter.width() > width && used > 0 {
                lines.push(std::mem::take(&mut current));
                used = 0;
            }
            if letter.width() <= width {
                current.push_str(letter);
                used += letter.width();
            }
        }
    }
    lines.push(current);
    lines
}

/// Indented text. Its line breaks stay; longer lines are wrapped if there is a width.
pub(crate) fn indented(text: &str, width: Option<u16>) -> String {
    let lines: Vec<String> = match width {
        Some(width) => wrapped(text, usize::from(width).saturating_sub(INDENT.len())),
        None => plain(text).lines().map(str::to_owned).collect(),
    };
    lines.iter().map(|line| format!("{INDENT}{line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// Text after a prefix, with a hanging indent. One line if there is no width.
pub(crate) fn hanging(before: &str, text: &str, indent: usize, width: Option<u16>) -> String {
    let text = plain_line(text);
    let Some(width) = width.map(usize::from) else { return format!("{before}{text}") };
    // A narrow terminal has no room for the full indent.
    let indent = if indent + 20 > width { 2 } else { indent };
    let room = width.saturating_sub(indent);
    // The prefix may contain colour codes, so its width cannot be measured: assume the width of the indent.
    let (mut lines, mut used) = (before.to_owned(), 0);
    // Break only at spaces: users copy ids and addresses.
    for word in text.split(' ') {
        if used > 0 && used + 1 + word.width() > room {
            lines.push_str(&format!("\n{}", " ".repeat(indent)));
            used = 0;
        } else if used > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += word.width();
    }
    lines
}

/// The text in one line of at most this width.
pub(crate) fn clipped(text: &str, width: usize) -> String {
    let text = plain_line(text);
    if text.width() <= width {
        return text;
    }
    let mut short = String::new();
    for letter in text.graphemes(true) {
        if short.width() + letter.width() + 1 > width {
            break;
        }
        short.push_str(letter);
    }
    if width > 0 {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_long_words_between_letters() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrapped("a\n\nb\n", 9), ["a", "", "b"]);
    }

    #[test]
    fn wide_letters_count_as_two() {
        assert_eq!(wrapped("日本語文字", 4), ["日本", "語文", "字"]);
        assert_eq!(clipped("日本語", 5), "日本…");
        assert_eq!(wrapped("日", 1), [""]);
    }

    #[test]
    fn no_line_is_wider_than_the_screen_whatever_the_text() {
        let hostile = "\u{1b}]0;t\u{7}👩‍👩‍👧‍👧 é\u{301}\u{301} \u{202e}abc\t日本 ﷽ word-word";
        for width in 1..20 {
            let lines = wrapped(hostile, width);
            assert!(lines.iter().all(|line| line.width() <= width), "{width}: {lines:?}");
        }
    }

    #[test]
    fn indented_text_keeps_its_lines_and_fits_the_width() {
        assert_eq!(indented("one two three\n\n\u{1b}four", Some(10)), "  one two\n  three\n\n  four");
        assert_eq!(indented("one two three\nfour", None), "  one two three\n  four");
    }

    #[test]
    fn lines_below_the_first_are_indented() {
        assert_eq!(hanging("a  ", "one two three four", 3, Some(23)), "a  one two three four");
        assert_eq!(hanging("a  ", "one two three four five", 3, Some(24)), "a  one two three four\n   five");
        let id = "01a1dd7e-3ee9-72ee-8967-c21adbd96373";
        let with_id = hanging("a  ", &format!("The one of {id} (57 %)."), 3, Some(30));
        assert_eq!(with_id, format!("a  The one of\n   {id}\n   (57 %)."));
        assert_eq!(hanging("a  ", "one two\nthree four five six", 3, None), "a  one two three four five six");
    }

    #[test]
    fn clipped_text_ends_with_an_ellipsis() {
        assert_eq!(clipped("a\nb", 5), "a b");
        assert_eq!(clipped("abcdef", 4), "abc…");
        assert_eq!(clipped("abcdef", 0), "");
    }
}
