//! Fuzz target: answers of models.

use reflect_fuzz::{CaseSource, FuzzTarget};
use serde::{Deserialize, Serialize};

use super::*;

const WORDS: &[&str] = &[
    "summary",
    "steps",
    "score",
    "verdict",
    "{",
    "}",
    "{\"summary\":",
    "\"}",
    "```json\n",
    "\n```",
    "<think>",
    "</think>",
    "</thinking>",
    "</reasoning>",
    "Here it is:",
    "{}",
    "[",
    "]",
    "{\"",
    "\\\"",
    "null",
];
const KEYS: [&str; 3] = ["summary", "steps", "score"];

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Answer {
    summary: String,
    #[serde(default)]
    steps: Vec<String>,
    #[serde(default)]
    score: Option<f64>,
}

#[test]
fn any_answer_is_a_value_of_the_type_or_a_short_complaint() {
    FuzzTarget::new("model-answers").words(WORDS).run(answer, |input| {
        let Ok(text) = str::from_utf8(input) else { return };
        match read::<Answer>(text, &KEYS) {
            Ok(value) => {
                assert!(value.summary.len() <= text.len());
                let printed = serde_json::to_string(&value).expect("an answer can be written");
                let again = read::<Answer>(&printed, &KEYS).expect("an answer can be read");
                // Not the score: the parser may change the last digit of a number.
                assert_eq!((again.summary, again.steps), (value.summary, value.steps), "read again");
            }
            // The complaint is sent to the model with the next prompt.
            Err(problem) => {
                assert!(problem.len() <= 1_000 + text.len().min(8_000), "{} bytes", problem.len())
            }
        }
        if let Some(part) = read_part::<Answer>(text, &KEYS) {
            assert!(part.summary.len() <= text.len());
        }
        let found: usize = find_all(text, &KEYS)
            .iter()
            .map(|found| Value::Object(found.object.clone()).to_string().len())
            .sum();
        // An object that wraps the expected one is left out.
        assert!(found <= 8 * text.len() + 16, "{found} bytes of objects in {}", text.len());
    });
}

fn answer(source: &mut CaseSource<'_>) -> String {
    let object = |source: &mut CaseSource<'_>| {
        let (summary, steps, score) = (source.json_string(), source.json(2), source.number());
        source.object(&[("summary", summary), ("steps", steps), ("score", score)])
    };
    match source.below(12) {
        0 => source.text(20),
        1 => {
            let fragment = source.text(3);
            source.repeated(&fragment, 60_000)
        }
        2 => source.json(5),
        3 => {
            let (inner, name) = (object(source), source.json_string());
            format!("{{{name}: [{inner}]}}")
        }
        4 => {
            let whole = object(source);
            whole[..whole.floor_char_boundary(source.below(whole.len() + 1))].to_owned()
        }
        _ => format!("{}{}{}", source.text(6), object(source), source.text(6)),
    }
}
