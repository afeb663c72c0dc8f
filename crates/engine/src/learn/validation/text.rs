//! Words and sentences of a text.

/// The words of a text in lower case. Flags, names and paths stay whole: `--force`, `read_file`, `a.b`.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '—' | '–' | '…')).filter_map(word).collect()
}

/// One word without the punctuation around it. `None` if nothing is left.
pub(super) fn word(raw: &str) -> Option<String> {
    let word = raw.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '-');
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    // One hyphen before a word may be a list mark, two are a flag.
    let word = if word.starts_with("--") { word } else { word.trim_start_matches('-') };
    let word = word.replace('’', "'").to_lowercase();
    word.contains(char::is_alphanumeric).then_some(word)
}

/// The sentences of a text. A line break ends a sentence.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let ends = match c {
            '\n' | ';' | '。' | '！' | '？' => true,
            // Not the point in `a.b` or 24.00.
            '.' | '!' | '?' => {
                next.is_none_or(|next| next.is_whitespace() || matches!(next, '"' | '”' | ')' | '*'))
            }
            _ => false,
        };
        if ends {
            found.push(&text[start..at]);
            start = at + c.len_utf8();
        }
    }
    found.push(&text[start..]);
    found.into_iter().map(str::trim).filter(|sentence| sentence.contains(char::is_alphanumeric)).collect()
}

/// A text in a form that ignores case, punctuation and white space.
pub(super) fn normalised(text: &str) -> String {
    words(text).join(" ")
}

/// Words of many English sentences, which say little about their content.
pub(super) fn is_function_word(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "a", "an", "the", "this", "that", "these", "those", "it", "its", "he", "she", "they", "them",
        "their", "you", "your", "we", "us", "our", "i", "me", "my", "is", "are", "was", "were", "be", "been",
        "being", "am", "do", "does", "did", "has", "have", "had", "will", "would", "can", "could", "may",
        "might", "must", "shall", "should", "to", "of", "in", "on", "at", "by", "with", "from", "for", "as",
        "into", "onto", "and", "or", "not", "so", "any", "all", "some", "such", "again", "ever", "also",
        "very", "here", "there", "then", "than", "please", "always", "never", "yes", "no", "ok",
    ];
    WORDS.contains(&word)
}

/// A rough English stem, so that "use", "uses", "used" and "using" are one word. Names and flags are unchanged.
pub(super) fn stem(word: &str) -> String {
    if !word.chars().all(char::is_alphabetic) {
        return word.to_owned();
    }
    let longer =
        |ending: &str, least: usize| word.strip_suffix(ending).filter(|rest| rest.chars().count() >= least);
    let stem =
        longer("ing", 2).or_else(|| longer("ed", 2)).or_else(|| longer("es", 2)).or_else(|| longer("s", 3));
    let stem = stem.unwrap_or(word);
    stem.strip_suffix('e').filter(|rest| rest.chars().count() >= 2).unwrap_or(stem).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_names_are_words() {
        assert_eq!(
            words("Never use `--force`, read_file (a.b) — 24.00! - x"),
            ["never", "use", "--force", "read_file", "a.b", "24.00", "x"]
        );
    }

    #[test]
    fn sentences_end_at_points_lines_and_semicolons() {
        assert_eq!(
            sentences("Read a.b. Pay 24.00; stop\nNow? 好。对"),
            ["Read a.b", "Pay 24.00", "stop", "Now", "好", "对"]
        );
    }

    #[test]
    fn forms_of_a_verb_have_one_stem() {
        for word in ["use", "uses", "used", "using"] {
            assert_eq!(stem(word), "us", "{word}");
        }
        for word in ["push", "pushes", "pushed", "pushing"] {
            assert_eq!(stem(word), "push", "{word}");
        }
        assert_eq!(stem("--force"), "--force");
    }
}
