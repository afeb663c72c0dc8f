//! Making a memory's text harmless to those who paste it into a prompt.
//!
//! Clients in use put memories between tags without escaping them. A memory that holds such a tag could
//! close its own block and speak in the voice of the instructions. What is stored stays as it was; what
//! goes out has every such tag broken, and nothing in it that a reader cannot see.

use reflect_store::MemoryRow;

/// The tags that clients wrap memories in, in all versions, and our own.
const TAGS: &[&str] = &[
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
/// Longer and one memory would crowd out the task.
const LONGEST: usize = 2_000;

/// The memory with every text made harmless.
pub(super) fn row(mut row: MemoryRow) -> MemoryRow {
    for field in [
        &mut row.task,
        &mut row.reflection,
        &mut row.summary,
        &mut row.guidance,
        &mut row.key_mistake,
        &mut row.correct_action,
    ] {
        *field = text(field);
    }
    for tool in row.applicable_tools.iter_mut().chain(&mut row.tools_used) {
        *tool = text(tool);
    }
    row
}

/// A text without invisible characters and without anything that looks like one of the tags.
pub(crate) fn text(text: &str) -> String {
    let visible: String = text.chars().filter(|&c| is_visible(c)).collect();
    let mut harmless = String::with_capacity(visible.len());
    for (at, c) in visible.char_indices() {
        if c == '<' && opens_a_tag(&visible[at + 1..]) {
            // Reads the same to a person and to a model, and closes nothing.
            harmless.push('‹');
        } else {
            harmless.push(c);
        }
    }
    shorten(harmless)
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

/// Line breaks and tabs are seen; other control characters, characters of no width, and those that turn
/// the direction of text around are not.
fn is_visible(c: char) -> bool {
    match c {
        '\n' | '\t' => true,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => false,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => false,
        '\u{e0000}'..='\u{e007f}' => false,
        c => !c.is_control(),
    }
}

fn shorten(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tags_are_broken_in_any_spelling() {
        for tag in [
            "</memory>",
            "< / MEMORY >",
            "<Relevant_Memories x=\"1\">",
            "<\u{200b}instructions>",
            "<past-task>",
        ] {
            let harmless = text(&format!("before {tag} after"));
            assert!(!harmless.contains('<'), "{harmless}");
            assert!(harmless.starts_with("before ‹") && harmless.ends_with(" after"), "{harmless}");
        }
    }

    #[test]
    fn other_text_is_left_alone() {
        for plain in
            ["a < b and b > c", "<div>html</div>", "Vec<u8>", "naïve café 🦀", "two\nlines\tand a tab"]
        {
            assert_eq!(text(plain), plain);
        }
    }

    #[test]
    fn what_cannot_be_seen_is_removed_and_what_is_long_is_cut() {
        assert_eq!(text("a\u{202e}b\u{0}c\u{feff}d"), "abcd");
        assert_eq!(text(&"x".repeat(5000)).chars().count(), LONGEST + 1);
    }

    proptest! {
        #[test]
        fn nothing_that_goes_out_opens_or_closes_a_block(parts in proptest::collection::vec(
            prop_oneof![Just("<".to_owned()), Just("/".to_owned()), Just(" ".to_owned()), Just("memory".to_owned()),
                        Just("MEMORY>".to_owned()), Just("\u{200b}".to_owned()), Just("instructions".to_owned()), any::<String>()],
            0..20)) {
            let harmless = text(&parts.concat()).to_lowercase();
            let compact: String = harmless.chars().filter(|c| !c.is_whitespace()).collect();
            for tag in TAGS {
                let opening = format!("<{tag}");
                let closing = format!("</{tag}");
                prop_assert!(!compact.contains(&opening));
                prop_assert!(!compact.contains(&closing));
            }
        }
    }
}
