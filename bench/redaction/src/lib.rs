//! How well redaction works, on cases that are made by code from a fixed seed.
//!
//! Values are made after the published forms of each kind and put into contexts that know nothing of the rules;
//! beside them stand things that look like secrets and are none. Whoever writes rules and cases knows both, so the
//! figures say that the rules do what they are meant to, not what they would do to texts nobody thought of.

pub mod contexts;
pub mod decoys;
pub mod draw;
pub mod hostile;
pub mod personal;
pub mod score;
pub mod secrets;

use draw::Draw;
use reflect_redaction::Class;

/// The seed that figures are given for.
pub const SEED: u64 = 20_261_115;

/// A text, and what has to be found in it.
#[derive(Debug, Clone)]
pub struct Case {
    /// The text, or JSON.
    pub text: String,
    /// Whether it is JSON.
    pub is_json: bool,
    /// What has to be gone afterwards; none for a decoy.
    pub value: Option<(Class, String)>,
}

/// All cases of a seed: for each class one value in every context, several times, and as many decoys.
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

/// A value that has to be gone, and how it is said: a password stands in a URL, a token behind its name.
fn value(class: Class, draw: &mut Draw) -> (String, String) {
    if class.is_personal() { personal::value(class, draw) } else { secrets::value(class, draw) }
}
