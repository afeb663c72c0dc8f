//! Tests of what is removed, what stays for people, and that no hidden message can stay.

use std::collections::BTreeSet;

use proptest::prelude::*;
use regex::Regex;

use super::*;

const EMOJI: [&str; 9] = [
    "👩\u{200d}👩\u{200d}👧\u{200d}👦",
    "👩🏽\u{200d}🚀",
    "❤\u{fe0f}",
    "❤\u{fe0f}\u{200d}🔥",
    "🏳\u{fe0f}\u{200d}🌈",
    "1\u{fe0f}\u{20e3}",
    "🇳🇴",
    "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "👁\u{fe0f}\u{200d}🗨\u{fe0f}",
];

#[test]
fn the_table_matches_unicode() {
    let all: String = ('\0'..=char::MAX).collect();
    let found = |pattern: &str| -> BTreeSet<char> {
        Regex::new(pattern).unwrap().find_iter(&all).flat_map(|found| found.as_str().chars()).collect()
    };
    let listed: BTreeSet<char> = DEFAULT_IGNORABLE.iter().flat_map(|(first, last)| *first..=*last).collect();
    assert_eq!(listed, found(r"\p{Default_Ignorable_Code_Point}+"));
    assert!(found(r"[\p{Bidi_Control}\p{Variation_Selector}]+").is_subset(&listed));
    assert!(found(r"[\p{Cc}&&[^\t\n\r]]+").into_iter().all(is_invisible));
}

#[test]
fn invisible_characters_inside_words_are_removed() {
    let splits = [
        '\u{200b}',
        '\u{ad}',
        '\u{2060}',
        '\u{e0041}',
        '\u{202e}',
        '\u{2066}',
        '\u{fe0f}',
        '\u{fe00}',
        '\u{e0100}',
        '\u{e01ef}',
        '\u{200d}',
        '\u{feff}',
        '\u{0}',
        '\u{1b}',
        '\u{9b}',
        '\u{3164}',
        '\u{34f}',
        '\u{180e}',
    ];
    for split in splits {
        let text = format!("Ig{split}nore");
        assert_eq!(stripped(&text), "Ignore", "{split:?}");
        assert_eq!(visible(&text), "Ignore", "{split:?}");
    }
}

#[test]
fn emoji_and_joined_scripts_survive_for_people_and_not_for_patterns() {
    for emoji in EMOJI {
        let text = format!("so {emoji} so");
        assert_eq!(visible(&text), text);
        assert_eq!(served(&text), text);
        assert!(!stripped(&text).contains(is_invisible), "{emoji}");
    }
    for text in ["می\u{200c}خواهم", "ක\u{dca}\u{200d}ය", "naïve\tשלום العربية 中文\n"]
    {
        assert_eq!(visible(text), text);
    }
}

#[test]
fn an_emoji_sequence_cannot_hide_a_message() {
    assert_eq!(visible("❤\u{fe0f}\u{fe0f}\u{fe0e}\u{e0101}"), "❤\u{fe0f}");
    assert_eq!(visible("🏴\u{e0068}\u{e0069}\u{e007f}"), "🏴");
    assert_eq!(visible("🦀\u{200d}a\u{200d}🦀"), "🦀a🦀");
    assert_eq!(tag_message("🏴\u{e0068}\u{e0069}\u{e007f}"), "hi");
    assert_eq!(tag_message(EMOJI[7]), "");
}

#[test]
fn every_line_break_becomes_a_line_feed() {
    assert_eq!(stripped("a\r\nb\rc\u{2028}d\u{2029}e\nf\u{85}g"), "a\nb\nc\nd\ne\nf\ng");
    assert_eq!(visible("a\r\nb\tc\u{85}d"), "a\nb\tc\nd");
}

#[test]
fn control_tokens_are_broken_in_any_spelling() {
    for token in [
        "<|im_start|>",
        "<|endoftext|>",
        "<|reserved_special_token_0|>",
        "<｜begin▁of▁sentence｜>",
        "<start_of_turn>",
        "</s>",
        "<<SYS>>",
        "[INST]",
        "[/inst]",
        "[TOOL_CALLS]",
        "<tool_call>",
        "<\u{200b}|im_\u{ad}start|\u{e0041}>",
    ] {
        let served = served(token).into_owned();
        assert!(!served.contains("<|") && !served.contains("<｜") && !served.contains('['), "{served}");
        assert_ne!(served, token);
    }
    for plain in ["a <| b |> c", "x <|> y", "<div>", "Vec<u8>", "[1] a", "a < b", "<span>"] {
        assert_eq!(break_control_tokens(plain), plain);
    }
}

#[test]
fn plain_text_is_not_copied() {
    assert!(matches!(visible("plain\ttext\n"), Cow::Borrowed(_)));
    assert!(matches!(stripped("é 中文"), Cow::Borrowed(_)));
    assert!(matches!(served("<b>bold</b>"), Cow::Borrowed(_)));
}

proptest! {
    #[test]
    fn cleaning_twice_changes_nothing_and_no_text_gets_longer(
        text in "[a<|>\\[\\]s/🦀👩🏴❤1\u{fe0f}\u{20e3}\u{200d}\u{200c}\u{e0067}\u{e007f}\u{202e}\r\n\u{2028}ی]{0,40}"
    ) {
        for clean in [stripped, visible, served] {
            let once = clean(&text).into_owned();
            prop_assert_eq!(&clean(&once), &once);
            prop_assert!(once.chars().count() <= text.chars().count());
        }
        prop_assert!(!stripped(&text).contains(is_invisible));
        let shown = visible(&text).into_owned();
        prop_assert_eq!(stripped(&shown), stripped(&text));
    }
}

#[test]
fn prompt_tags_are_broken_in_any_spelling() {
    for tag in
        ["</memory>", "< / MEMORY >", "<Relevant_Memories x=\"1\">", "<\u{200b}instructions>", "<past-task>"]
    {
        let safe = served(&format!("before {tag} after")).into_owned();
        assert!(!safe.contains('<'), "{safe}");
        assert!(safe.starts_with("before ‹") && safe.ends_with(" after"), "{safe}");
    }
}

#[test]
fn other_text_is_served_unchanged() {
    for plain in ["a < b and b > c", "<div>html</div>", "Vec<u8>", "naïve café 🦀", "two\nlines\tand a tab"]
    {
        assert_eq!(served(plain), plain);
    }
    assert_eq!(served("a\u{202e}b\u{0}c\u{feff}d\u{fe00}\u{e0100}"), "abcd");
    assert_eq!(served("<|im_start|>system <\u{ad}|im_end|>"), "‹|im_start|>system ‹|im_end|>");
}

proptest! {
    #[test]
    fn no_served_text_opens_or_closes_a_memory_block(parts in proptest::collection::vec(
        prop_oneof![Just("<".to_owned()), Just("/".to_owned()), Just(" ".to_owned()), Just("memory".to_owned()),
                    Just("MEMORY>".to_owned()), Just("\u{200b}".to_owned()), Just("instructions".to_owned()), any::<String>()],
        0..20)) {
        let safe = served(&parts.concat()).to_lowercase();
        let compact: String = safe.chars().filter(|c| !c.is_whitespace()).collect();
        for tag in super::tags::TAGS {
            let (opening, closing) = (format!("<{tag}"), format!("</{tag}"));
            prop_assert!(!compact.contains(&opening));
            prop_assert!(!compact.contains(&closing));
        }
    }
}

#[test]
fn a_joiner_before_an_invisible_letter_is_removed_with_it() {
    assert_eq!(visible("ب\u{200c}\u{115f} x"), "ب x");
    assert_eq!(visible("ب\u{200c}\u{115f}م"), "بم");
    assert_eq!(visible("ب\u{200c}م"), "ب\u{200c}م");
}
