//! Splits a sentence into clauses.

use crate::learn::validation::text::word;

/// Words that begin a clause of their own.
const CONNECTIVES: [&str; 9] =
    ["but", "instead", "because", "since", "so", "otherwise", "sondern", "aber", "stattdessen"];

/// How a clause follows the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// The first of a sentence, or after a word such as "but" or "instead".
    Start,
    /// After a comma, "and" or "then".
    List,
    /// After "instead of" or "rather than": what is not done.
    InsteadOf,
}

/// Words without punctuation around them, and how they follow the clause before them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) joint: Joint,
    pub(super) words: Vec<String>,
}

/// The clauses of a sentence.
pub(super) fn clauses(sentence: &str) -> Vec<Clause> {
    let mut found = vec![Clause { joint: Joint::Start, words: Vec::new() }];
    let open = |joint: Joint, found: &mut Vec<Clause>| match found.last_mut() {
        // Nothing stands between the two: "and instead".
        Some(last) if last.words.is_empty() => last.joint = joint,
        _ => found.push(Clause { joint, words: Vec::new() }),
    };
    let raw: Vec<&str> = sentence
        .split(|c: char| c.is_whitespace() || matches!(c, '—' | '–'))
        .filter(|raw| !raw.is_empty())
        .collect();
    let mut skip = false;
    for (at, raw_word) in raw.iter().enumerate() {
        if skip {
            skip = false;
            continue;
        }
        if raw_word.starts_with('(') || *raw_word == "-" {
            open(Joint::Start, &mut found);
        }
        let Some(plain) = word(raw_word) else { continue };
        let next = raw.get(at + 1).and_then(|raw| word(raw)).unwrap_or_default();
        match (plain.as_str(), next.as_str()) {
            ("instead", "of") | ("rather", "than") => {
                open(Joint::InsteadOf, &mut found);
                skip = true;
            }
            ("and" | "then" | "und" | "dann", _) => open(Joint::List, &mut found),
            (connective, _) if CONNECTIVES.contains(&connective) => open(Joint::Start, &mut found),
            _ => {
                if let Some(last) = found.last_mut() {
                    last.words.extend(expanded(plain));
                }
                if raw_word.ends_with(',') {
                    open(Joint::List, &mut found);
                } else if raw_word.ends_with([':', ')']) {
                    open(Joint::Start, &mut found);
                }
            }
        }
    }
    found.retain(|clause| !clause.words.is_empty());
    found
}

/// "don't" is two words.
fn expanded(word: String) -> Vec<String> {
    match word.as_str() {
        "dont" => vec!["do".into(), "not".into()],
        "cannot" | "can't" => vec!["can".into(), "not".into()],
        "won't" => vec!["will".into(), "not".into()],
        _ => match word.strip_suffix("n't") {
            Some(verb) => vec![verb.to_owned(), "not".into()],
            None => match word.strip_prefix("n'") {
                Some(verb) => vec![verb.to_owned()],
                None => vec![word],
            },
        },
    }
}
