//! Text of runs, made safe for a terminal: nothing in it moves a cursor, changes a title, or shows words in another
//! order than they are in. What it says stays.

/// The text without what a terminal would obey: control characters but line breaks and tabs, marks that turn the
/// direction of writing, and characters that are there and not seen.
pub(crate) fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.chars().filter(|character| !is_harmful(*character)).collect()
}

/// The same in one line.
pub(crate) fn plain_line(text: &str) -> String {
    let words: Vec<String> = plain(text).split_whitespace().map(str::to_owned).collect();
    words.join(" ")
}

/// Whether a character does something to a terminal, or hides from whoever reads.
pub(crate) const fn is_harmful(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Escape sequences begin in both ranges; DEL is between them.
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        // Direction: Arabic letter mark, left-to-right and right-to-left marks, embeddings, overrides, isolates.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        // Not seen: zero-width space, word joiner and its kin, line and paragraph separators, byte order mark,
        // annotations, tags. Joiners stay: scripts and emoji need them.
        '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' => true,
        '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_gone_and_the_words_stay() {
        let hostile = "a\u{1b}[2J\u{1b}]0;owned\u{7}b\u{9b}31mc\u{7f}\u{8}\rd";

        assert_eq!(plain(hostile), "a[2J]0;ownedb31mcd");
    }

    #[test]
    fn nothing_turns_the_order_of_words_or_hides_in_them() {
        for mark in ['\u{202e}', '\u{2066}', '\u{200f}', '\u{61c}', '\u{200b}', '\u{feff}', '\u{e0041}'] {
            assert_eq!(plain(&format!("pass{mark}fail")), "passfail", "{mark:?}");
        }
    }

    #[test]
    fn ordinary_text_of_any_script_is_left_alone() {
        let text = "naïve\tשלום العربية 中文 👩\u{200d}👧\n";

        assert_eq!(plain(text), text);
        assert_eq!(plain_line(" two\r\nlines\n "), "two lines");
    }
}
