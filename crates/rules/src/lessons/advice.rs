//! What a lesson advises, as a key that can be compared. Whole texts are not compared by embedding, which takes different
//! advice for the same too often.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// White space as `lesson_digest` of the database defines it.
const WHITE: [char; 6] = [' ', '\t', '\n', '\r', '\x0b', '\x0c'];
/// Removed from the end of an action.
const END_MARKS: [char; 9] = ['.', '!', '?', ',', ';', ':', '…', '。', ' '];
/// The longest name of an action in the text of a model, in words.
const LONGEST_NAME: usize = 4;

/// What a lesson advises, as a key: equal keys are the same advice. The first byte is the kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AdviceKey(Uuid);

/// What the key was computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdviceKind {
    /// The correct action.
    Action,
    /// The tools of a run, for a lesson that describes the run.
    Approach,
    /// The text.
    Text,
}

/// The parts of a lesson that say what it advises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdviceText<'a> {
    /// What to do.
    pub correct_action: &'a str,
    /// The tools of the run in the order of first use. Empty unless the lesson describes a run without words.
    pub approach: &'a [String],
    /// The text of the lesson.
    pub reflection: &'a str,
}

/// How the advice of two lessons is related.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// Both advise the same.
    Same,
    /// Following one means not following the other.
    Contradicts,
    /// They are about different things.
    Different,
    /// It is not known.
    Unknown,
}

impl AdviceKey {
    /// A stored key.
    pub const fn from_uuid(key: Uuid) -> Self {
        Self(key)
    }

    /// The key as it is stored.
    pub const fn as_uuid(self) -> Uuid {
        self.0
    }

    /// What it was computed from.
    pub const fn kind(self) -> AdviceKind {
        match self.0.as_bytes()[0] {
            1 => AdviceKind::Action,
            2 => AdviceKind::Approach,
            _ => AdviceKind::Text,
        }
    }

    fn of(kind: AdviceKind, words: &str) -> Self {
        let digest: [u8; 32] = Sha256::digest(words.as_bytes()).into();
        let mut bytes = [0; 16];
        bytes[0] = match kind {
            AdviceKind::Action => 1,
            AdviceKind::Approach => 2,
            AdviceKind::Text => 3,
        };
        bytes[1..].copy_from_slice(&digest[..15]);
        Self(Uuid::from_bytes(bytes))
    }
}

/// The key of a lesson's advice: its correct action in lower case, without punctuation at the end; else its approach; else
/// its text, in which case counts. `None` if all of them are empty.
///
/// ```
/// use reflect_rules::lessons::{AdviceText, advice_key};
///
/// let advice = |correct_action| AdviceText { correct_action, approach: &[], reflection: "" };
/// assert_eq!(advice_key(&advice("Restart the phone.")), advice_key(&advice("restart  the phone")));
/// assert_eq!(advice_key(&advice("")), None);
/// ```
pub fn advice_key(text: &AdviceText<'_>) -> Option<AdviceKey> {
    let action = collapsed(text.correct_action).to_lowercase();
    let approach = text.approach.join("\n");
    let reflection = collapsed(text.reflection);
    match (action.trim_end_matches(END_MARKS), approach.trim(), reflection.as_str()) {
        ("", "", "") => None,
        ("", "", words) => Some(AdviceKey::of(AdviceKind::Text, words)),
        ("", tools, _) => Some(AdviceKey::of(AdviceKind::Approach, tools)),
        (action, _, _) => Some(AdviceKey::of(AdviceKind::Action, action)),
    }
}

fn collapsed(text: &str) -> String {
    let words: Vec<&str> = text.split(WHITE).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// What structure alone says: equal keys are the same advice, two different actions contradict each other, and all else is
/// unknown.
pub fn relation(one: Option<AdviceKey>, other: Option<AdviceKey>) -> Relation {
    match (one, other) {
        (Some(one), Some(other)) if one == other => Relation::Same,
        (Some(one), Some(other))
            if one.kind() == AdviceKind::Action && other.kind() == AdviceKind::Action =>
        {
            Relation::Contradicts
        }
        _ => Relation::Unknown,
    }
}

/// Whether a correct action is the name of an action. A model says one thing in many sentences, so two different ones of them
/// need not contradict each other. `by_model`: a model wrote it, and no person edited it.
pub fn is_structured(correct_action: &str, by_model: bool) -> bool {
    !by_model || correct_action.split(WHITE).filter(|word| !word.is_empty()).count() <= LONGEST_NAME
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(correct_action: &str, approach: &[&str], reflection: &str) -> Option<AdviceKey> {
        let approach: Vec<String> = approach.iter().map(|tool| (*tool).to_owned()).collect();
        advice_key(&AdviceText { correct_action, approach: &approach, reflection })
    }

    #[test]
    fn an_action_is_compared_without_case_space_and_end_punctuation() {
        let restart = key("Restart the phone", &[], "Because of x.");
        assert_eq!(restart.map(AdviceKey::kind), Some(AdviceKind::Action));
        for same in ["restart the phone.", " RESTART\tthe\n phone !", "restart the phone…"] {
            assert_eq!(key(same, &["search"], "Other words."), restart, "{same}");
        }
        assert_ne!(key("restart the router", &[], ""), restart);
    }

    #[test]
    fn without_an_action_the_tools_decide_and_then_the_text() {
        let tools = key("", &["search", "refund"], "Searched, then refunded.");
        assert_eq!(tools.map(AdviceKey::kind), Some(AdviceKind::Approach));
        assert_eq!(key(" . ", &["search", "refund"], "In other words."), tools);
        assert_ne!(key("", &["refund", "search"], ""), tools, "the order counts");

        let text = key("", &[], "Use  the\nLibrary.");
        assert_eq!(text.map(AdviceKey::kind), Some(AdviceKind::Text));
        assert_eq!(key("", &[], " Use the Library. "), text);
        assert_ne!(key("", &[], "use the library."), text, "case counts in a text");
        assert_eq!(key("", &[], " \n"), None);
    }

    #[test]
    fn only_actions_contradict_each_other() {
        let (restart, wait) = (key("restart", &[], ""), key("wait", &[], ""));
        let (text, other_text) = (key("", &[], "restart"), key("", &[], "wait"));
        assert_eq!(relation(restart, restart), Relation::Same);
        assert_eq!(relation(restart, wait), Relation::Contradicts);
        assert_eq!(relation(text, text), Relation::Same);
        assert_eq!(relation(text, other_text), Relation::Unknown);
        assert_eq!(relation(restart, text), Relation::Unknown, "equal words of another kind are another key");
        assert_eq!(relation(None, None), Relation::Unknown);
    }

    #[test]
    fn a_long_action_of_a_model_is_a_sentence() {
        assert!(is_structured("Use the  refund tool.", true));
        assert!(!is_structured("Use the refund tool now.", true));
        assert!(is_structured("Use the refund tool now.", false));
    }

    proptest! {
        #[test]
        fn a_key_is_stored_and_read_back(action in ".{0,20}", text in ".{0,20}") {
            let key = key(&action, &[], &text);
            prop_assert_eq!(key, key.map(|key| AdviceKey::from_uuid(key.as_uuid())));
            prop_assert_eq!(relation(key, key) == Relation::Same, key.is_some());
        }
    }
}
