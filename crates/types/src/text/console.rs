//! The console's copy of the table: a generated file. The test compares it, and rewrites it if it is out of date.

use std::fmt::Write;

use super::{DEFAULT_IGNORABLE, OTHER_INVISIBLE, emoji};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../console/app/src/parts/invisible.generated.ts");

fn class(ranges: &[(char, char)]) -> String {
    ranges.iter().fold(String::new(), |mut class, (first, last)| {
        let _ = match first == last {
            true => write!(class, "\\u{{{:x}}}", u32::from(*first)),
            false => write!(class, "\\u{{{:x}}}-\\u{{{:x}}}", u32::from(*first), u32::from(*last)),
        };
        class
    })
}

fn escaped(text: &str) -> String {
    text.chars().map(|character| format!("\\u{{{:x}}}", u32::from(character))).collect()
}

fn generated() -> String {
    let mut invisible = [&DEFAULT_IGNORABLE[..], &OTHER_INVISIBLE[..]].concat();
    invisible.sort_unstable();
    let emoji = r"(?![#*0-9])\p{Emoji}\ufe0f?";
    let sequences = [
        r"[#*0-9]\ufe0f\u20e3".to_owned(),
        format!(r"\u{{1f3f4}}(?:{})", emoji::FLAGS.map(escaped).join("|")),
        format!(r"{emoji}(?:\u200d{emoji})*"),
        format!(
            r"(?<=[{}])[\u200c\u200d](?=\p{{Alphabetic}})(?![{}])",
            class(&emoji::JOINING),
            class(&invisible)
        ),
    ];
    format!(
        "// @generated from crates/types/src/text: do not edit. The tests of crates/types rewrite it.\n\
         /* oxlint-disable no-control-regex, no-misleading-character-class -- they are what is looked for */\n\n\
         /** Characters that show nothing of their own. */\n\
         export const INVISIBLE =\n  /[{}]/gu;\n\n\
         /** Where some of them are part of how a text is written: emoji sequences, and joiners between letters. */\n\
         export const SEQUENCES =\n  /{}/gu;\n",
        class(&invisible),
        sequences.join("|"),
    )
}

#[test]
fn the_generated_file_is_current() {
    let expected = generated();
    if std::fs::read_to_string(FILE).unwrap_or_default() != expected {
        std::fs::write(FILE, expected).unwrap();
        panic!("{FILE} was out of date and has been rewritten; commit it");
    }
}
