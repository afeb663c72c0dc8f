//! Measures the quality of redaction on generated cases with a fixed seed.
//!
//! Values have the published formats of their classes, and contexts are independent of the rules. Decoys look like
//! secrets and are none. The author of the rules also wrote the cases, so the figures show that the rules work as
//! intended. They do not predict the quality on other texts.

pub mod contexts;
pub mod decoys;
pub mod draw;
pub mod hostile;
pub mod personal;
pub mod score;
pub mod secrets;

use draw::Draw;
use reflect_redaction::Class;

/// The seed of the published figures.
pub const SEED: u64 = 20_261_115;

/// A text and the expected findings.
#[derive(Debug, Clone)]
pub struct Case {
    /// The text, or JSON.
    pub text: String,
    /// Whether it is JSON.
    pub is_json: bool,
    /// The values that must be redacted. Empty for a decoy.
    pub value: Option<(Class, String)>,
}

/// All cases of a seed: for each class, values in every context, and the same number of decoys.
pub fn corpus(seed: u64, rounds: usize) -> Vec<Case> {
    let mut draw = Draw::new(seed);
    let mut cases = Vec::new();
    for _ in 0..rounds {
        for class in Class::ALL {
            for context in contexts::ALL {
                let (value, said) = value(class, &mut draw);
                cases.push(contexts::put(*context, class, &value, &said, &mut draw));
            }
        }
        for decoy in decoys::ALL {
            for context in contexts::ALL {
                let text = decoy(&mut draw);
                cases.push(contexts::put_decoy(*context, &text, &mut draw));
            }
        }
    }
    cases
}

/// A value that must be redacted, and its text: a password in a URL, or a token after its name.
fn value(class: Class, draw: &mut Draw) -> (String, String) {
    if class.is_personal() { personal::value(class, draw) } else { secrets::value(class, draw) }
}
