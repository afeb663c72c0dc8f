//! Fuzz targets: text that is shown or served, and the cost of JSON.

use reflect_fuzz::FuzzTarget;
use serde_json::Value;

use crate::text::{
    break_control_tokens, break_prompt_tags, is_invisible, served, stripped, tag_message, visible,
};
use crate::{Defence, MAX_DEPTH, json_cost};

const TEXT_WORDS: &[&str] = &[
    "<|im_start|>",
    "<|im_end|>",
    "[INST]",
    "[/INST]",
    "<s>",
    "</s>",
    "<<SYS>>",
    "<|",
    "|>",
    "<｜end▁of▁sentence｜>",
    "<think>",
    "<memory",
    "</memories>",
    "< / relevant-memories>",
    "<system>",
    "\r\n",
    "#\u{fe0f}\u{20e3}",
    "❤\u{fe0f}",
    "👩\u{200d}🚀",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "ب\u{200c}م",
    "\u{200d}",
    "\u{200c}",
    "\u{115f}",
    "\u{e0068}",
];

#[test]
fn no_text_hides_anything_when_it_is_served() {
    let target =
        FuzzTarget::new("text").words(TEXT_WORDS).mutant("hidden-text", || Defence::HiddenText.switch_off());
    target.run(
        |source| match source.once_in(2000) {
            true => {
                let fragment = source.text(3);
                source.repeated(&fragment, 100_000)
            }
            false => source.text(24),
        },
        |input| {
            let Ok(text) = str::from_utf8(input) else { return };
            let (bare, shown, given) = (stripped(text), visible(text), served(text));

            assert!(!bare.contains(is_invisible), "stripped leaves an invisible character: {bare:?}");
            assert_eq!(stripped(&bare), bare, "stripped twice");
            assert_eq!(visible(&shown), shown, "visible twice");
            assert_eq!(served(&given), given, "served twice");
            assert_eq!(visible(&given), given, "served text has a hidden character");
            assert_eq!(break_control_tokens(&given), given, "served text has a control token");
            assert_eq!(break_prompt_tags(&given), given, "served text has a tag");
            assert!(bare.len() <= shown.len() && shown.len() <= text.len(), "a text got longer");
            assert!(given.len() <= 3 * text.len(), "served text got longer than its replacements");
            assert!(tag_message(text).is_ascii());
        },
    );
}

#[test]
fn the_cost_of_any_json_is_not_underestimated() {
    FuzzTarget::new("json-cost").words(&["\\\"", "\\\\", "[", "]", "{}", ",", "\"", "[[", "\\u005c"]).run(
        |source| match source.below(4) {
            0 => source.text(30),
            1 => {
                let fragment = source.json(1);
                source.repeated(&fragment, 20_000)
            }
            _ => source.json(6),
        },
        |input| {
            let cost = json_cost(input);
            assert!(cost.depth <= input.len() && cost.values <= input.len() + 1, "{cost:?}");
            let Ok(value) = serde_json::from_slice::<Value>(input) else { return };
            let (depth, values) = counted(&value);
            // Fields that occur twice are counted twice, and a value has only the last one.
            assert!(cost.values >= values && cost.depth >= depth, "{cost:?} for {value}");
            if cost.values == values {
                assert_eq!(cost.depth, depth, "the depth of {value}");
            }
            assert!(depth <= MAX_DEPTH, "the parser accepts more levels than the limit of bodies");
        },
    );
}

/// The levels and the values of parsed JSON.
fn counted(value: &Value) -> (usize, usize) {
    let inner: Vec<(usize, usize)> = match value {
        Value::Array(items) => items.iter().map(counted).collect(),
        Value::Object(fields) => fields.values().map(counted).collect(),
        _ => return (0, 1),
    };
    let depth = inner.iter().map(|(depth, _)| depth).max().copied().unwrap_or_default();
    (depth + 1, 1 + inner.iter().map(|(_, values)| values).sum::<usize>())
}
