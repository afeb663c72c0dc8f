//! Texts as one line, for lists and summaries.

/// The beginning of a text as one line, at most `longest` characters.
pub(crate) fn one_line(text: &str, longest: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= longest {
        return line;
    }
    let cut: String = line.chars().take(longest.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_has_no_line_breaks_and_a_limit() {
        assert_eq!(one_line(" a\n\tb ", 10), "a b");
        assert_eq!(one_line("one two three", 8), "one two…");
    }
}
