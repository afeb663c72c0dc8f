//! Splits a filter into words.

use std::ops::Range;

use reflect_api::ErrorPosition;

use crate::error::ApiError;

/// Longer texts are not filters that people write.
const MOST_CHARACTERS: usize = 1000;

/// One word of a filter: a field with its value, or text to search for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// The name before the colon. `None` for text.
    pub(super) field: Option<&'a str>,
    pub(super) value: &'a str,
    /// The word as it was sent, for messages.
    pub(super) source: &'a str,
    /// Where it is, in characters.
    position: Range<usize>,
}

/// Whether a name can be a field. Depends on what is filtered.
pub(super) type IsField = fn(&str) -> bool;

/// Fields of lists: lower-case letters.
pub(super) fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// The words of a filter. `is_field` decides which names before a colon are fields; `in_quotes` whether they are also
/// fields if the quotation marks enclose the whole word.
pub(super) fn split(
    text: &str,
    is_field: IsField,
    in_quotes: Option<IsField>,
) -> Result<Vec<Word<'_>>, ApiError> {
    let characters = text.chars().count();
    if characters > MOST_CHARACTERS {
        let message =
            format!("q: the filter has {characters} characters; at most {MOST_CHARACTERS} are allowed");
        return Err(ApiError::invalid_filter(message, None));
    }
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let start = text.len() - rest.len();
        let (field, after) = split_field(rest, is_field);
        let (value, left) = split_value(text, after)?;
        let end = text.len() - left.len();
        let mut word = Word {
            field,
            value,
            source: &text[start..end],
            position: text[..start].chars().count()..text[..end].chars().count(),
        };
        if let (Some(in_quotes), None, true) = (in_quotes, field, rest.starts_with('"'))
            && let (Some(field), value) = split_field(value, in_quotes)
        {
            (word.field, word.value) = (Some(field), value);
        }
        words.push(word);
        rest = left.trim_start();
    }
    Ok(words)
}

/// Takes `name:` from the beginning. An address such as `http://…` has no field.
fn split_field(text: &str, is_field: IsField) -> (Option<&str>, &str) {
    match text.split_once(':') {
        Some((name, after)) if is_field(name) && !after.starts_with("//") => (Some(name), after),
        _ => (None, text),
    }
}

/// Takes a value from the beginning: up to the closing quotation mark, or up to the next space.
fn split_value<'a>(whole: &str, text: &'a str) -> Result<(&'a str, &'a str), ApiError> {
    let Some(quoted) = text.strip_prefix('"') else {
        return Ok(text.split_at(text.find(char::is_whitespace).unwrap_or(text.len())));
    };
    quoted.split_once('"').ok_or_else(|| {
        let start = whole[..whole.len() - text.len()].chars().count();
        let message =
            format!("q: the quotation mark at character {} is not closed; add another one", start + 1);
        let position = ErrorPosition { start, end: whole.chars().count() };
        ApiError::invalid_filter(message, Some(position))
    })
}

impl Word<'_> {
    /// An error about this word. `problem` completes "q: … at character 5 ".
    pub(super) fn error(&self, problem: &str) -> ApiError {
        let Range { start, end } = self.position;
        let message = format!("q: {:?} at character {} {problem}", self.source, start + 1);
        ApiError::invalid_filter(message, Some(ErrorPosition { start, end }))
    }

    /// An error about a field that does not exist.
    pub(super) fn unknown_field(&self, known: &str) -> ApiError {
        self.error(&format!(
            "has an unknown field; the fields are {known}. To search for this text, write it in quotation marks"
        ))
    }
}

/// The text that the words without a field search for.
pub(super) fn text_of(words: &[Word<'_>]) -> Option<String> {
    let text: Vec<&str> = words.iter().filter(|word| word.field.is_none()).map(|word| word.value).collect();
    Some(text.join(" ")).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(Option<&str>, &str)> {
        let words = split(text, is_plain_name, None).unwrap();
        words.into_iter().map(|word| (word.field, word.value)).collect()
    }

    #[test]
    fn a_word_is_a_field_with_its_value_or_text() {
        assert_eq!(
            pairs(r#" status:pending  model:"gpt 5*" "two words" refund"#),
            [(Some("status"), "pending"), (Some("model"), "gpt 5*"), (None, "two words"), (None, "refund")]
        );
    }

    #[test]
    fn addresses_times_capitals_and_quoted_words_are_text() {
        for text in ["http://a", "12:30", "Status:x", "a.b:c", ":x", r#"a"b"#] {
            assert_eq!(pairs(text), [(None, text)]);
        }
        assert_eq!(pairs(r#""status:x""#), [(None, "status:x")]);
        assert_eq!(pairs(""), []);
        assert_eq!(pairs(r#""a"b"#), [(None, "a"), (None, "b")]);
    }

    #[test]
    fn quotation_marks_may_keep_a_field() {
        let words =
            split(r#""task:two words" "odd:x y""#, is_plain_name, Some(|name| name == "task")).unwrap();
        let pairs: Vec<_> = words.iter().map(|word| (word.field, word.value)).collect();
        assert_eq!(pairs, [(Some("task"), "two words"), (None, "odd:x y")]);
    }

    #[test]
    fn an_error_names_the_word_and_its_position_in_characters() {
        let words = split("é é status:odd x", is_plain_name, None).unwrap();
        let error = words[2].error("is wrong");
        assert_eq!(error.message, r#"q: "status:odd" at character 5 is wrong"#);
        assert_eq!(error.position, Some(ErrorPosition { start: 4, end: 14 }));

        let error = split(r#"a "open"#, is_plain_name, None).unwrap_err();
        assert!(error.message.contains("character 3 is not closed"), "{}", error.message);
        assert_eq!(error.position, Some(ErrorPosition { start: 2, end: 7 }));
        assert!(split(&"x".repeat(1001), is_plain_name, None).is_err());
    }
}
