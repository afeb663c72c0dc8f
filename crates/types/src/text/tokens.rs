//! Control tokens of language models, such as `<|im_start|>`: in a prompt they can end one message and begin another.

use std::borrow::Cow;

/// Between `<` and `>`.
const NAMES: [&str; 16] = [
    "s",
    "/s",
    "bos",
    "eos",
    "unk",
    "pad",
    "start_of_turn",
    "end_of_turn",
    "<SYS>",
    "</SYS>",
    "think",
    "/think",
    "tool_call",
    "/tool_call",
    "tool_response",
    "/tool_response",
];
/// Between `[` and `]`.
const BRACKETED: [&str; 9] = [
    "INST",
    "/INST",
    "SYSTEM_PROMPT",
    "/SYSTEM_PROMPT",
    "AVAILABLE_TOOLS",
    "/AVAILABLE_TOOLS",
    "TOOL_CALLS",
    "TOOL_RESULTS",
    "/TOOL_RESULTS",
];
/// No token has a longer name.
const LONGEST_NAME: usize = 64;

/// The text with the first character of every control token replaced by one that looks alike (`‹` for `<`, `⁅` for
/// `[`). Borrowed when there is none.
///
/// ```
/// use reflect_types::text::break_control_tokens;
///
/// assert_eq!(break_control_tokens("<|im_end|> [INST] <b>"), "‹|im_end|> ⁅INST] <b>");
/// ```
pub fn break_control_tokens(text: &str) -> Cow<'_, str> {
    let mut result = String::new();
    let mut copied = 0;
    for (at, bracket) in text.match_indices(['<', '[']) {
        let rest = &text[at + 1..];
        let replacement = match bracket {
            "<" if is_piped(rest) || is_one_of(&NAMES, rest, '>') => '‹',
            "[" if is_one_of(&BRACKETED, rest, ']') => '⁅',
            _ => continue,
        };
        result.push_str(&text[copied..at]);
        result.push(replacement);
        copied = at + 1;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    result.push_str(&text[copied..]);
    Cow::Owned(result)
}

/// `|name|>`, with an ASCII or a fullwidth bar. `▁` stands for a space in the names of some models.
fn is_piped(rest: &str) -> bool {
    let bars = ['|', '｜'];
    let Some(name) = rest.strip_prefix(bars) else { return false };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '▁' | '/' | '.' | ':');
    let end = name.char_indices().take(LONGEST_NAME + 1).find(|(_, c)| !is_name(*c));
    end.is_some_and(|(at, _)| {
        at > 0 && name[at..].strip_prefix(bars).is_some_and(|rest| rest.starts_with('>'))
    })
}

fn is_one_of(names: &[&str], rest: &str, close: char) -> bool {
    names.iter().any(|name| {
        let begins = rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        begins && rest[name.len()..].starts_with(close)
    })
}
