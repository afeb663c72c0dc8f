//! Tags that clients wrap memories in.
//!
//! Clients put memories between these tags without escaping them. A memory that contains such a tag could close its own
//! block and be read as instructions.

use std::borrow::Cow;

/// The tags that clients of any version wrap memories in, and our own.
pub(super) const TAGS: [&str; 12] = [
    "relevant_memories",
    "memories",
    "memory",
    "instructions",
    "context",
    "past_task",
    "reflection",
    "correct_action",
    "key_mistake",
    "guidance",
    "summary",
    "system",
];

/// The text with the `<` of every such tag replaced by one that looks alike. Borrowed when there is none.
///
/// ```
/// use reflect_types::text::break_prompt_tags;
///
/// assert_eq!(break_prompt_tags("a < b, <div>, </Memory>"), "a < b, <div>, ‹/Memory>");
/// ```
pub fn break_prompt_tags(text: &str) -> Cow<'_, str> {
    let mut result = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices('<').filter(|(at, _)| opens_a_tag(&text[at + 1..])) {
        result.push_str(&text[copied..at]);
        result.push('‹');
        copied = at + 1;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    result.push_str(&text[copied..]);
    Cow::Owned(result)
}

/// Whether what follows a `<` is one of the tags, in any case, with any spaces, opening or closing.
fn opens_a_tag(rest: &str) -> bool {
    let name = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/' || c == '\\');
    TAGS.iter().any(|tag| {
        name.get(..tag.len()).is_some_and(|start| {
            start.chars().zip(tag.chars()).all(|(c, t)| c.eq_ignore_ascii_case(&t) || (t == '_' && c == '-'))
        })
    })
}
