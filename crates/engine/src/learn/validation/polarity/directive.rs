//! Reads a clause as a directive: what to do, or what not to do.

use std::collections::BTreeSet;

use super::clauses::{Clause, Joint, clauses};
use crate::learn::validation::text::{is_function_word, stem};

/// When a directive applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Condition {
    /// Always.
    None,
    /// In some context: "when pushing to main".
    Context,
    /// In some order: "before you answer".
    Order,
    /// Under a condition that can turn the meaning: "only", "unless", "without".
    Strict,
}

/// What a clause demands or forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Directive {
    pub(super) forbids: bool,
    /// The stem of its verb. `None` for "avoid lists".
    pub(super) verb: Option<String>,
    /// The stems of its content words, with the verb.
    pub(super) words: BTreeSet<String>,
    pub(super) condition: Condition,
    /// Whether it has a word such as "always" or "never".
    pub(super) is_explicit: bool,
}

const FILLERS: &[&str] = &[
    "please",
    "also",
    "next",
    "time",
    "first",
    "therefore",
    "just",
    "simply",
    "again",
    "in",
    "future",
    "bitte",
    "or",
    "to",
];
const MODALS: [&str; 5] = ["must", "should", "shall", "may", "can"];
const DEMANDS: [&str; 3] = ["must", "should", "shall"];
const PRONOUNS: [&str; 9] = ["you", "we", "i", "it", "they", "he", "she", "agents", "one"];
/// Words that begin a subject with a noun.
const DETERMINERS: [&str; 6] = ["the", "a", "an", "this", "your", "every"];
/// Subjects that are the agent itself.
const AGENTS: [&str; 6] = ["agent", "run", "model", "assistant", "bot", "ai"];
const CONTEXTS: &[&str] = &["when", "while", "during", "where", "wenn", "bei", "während", "quand", "cuando"];
const ORDERS: &[&str] =
    &["before", "after", "first", "once", "until", "bevor", "bis", "nachdem", "avant", "antes"];
const CONDITIONS: &[&str] = &[
    "only",
    "unless",
    "except",
    "if",
    "without",
    "alone",
    "blindly",
    "directly",
    "unnecessarily",
    "than",
    "nur",
    "außer",
    "falls",
    "ohne",
    "solange",
    "sauf",
    "sans",
    "si",
    "sin",
    "sólo",
    "solo",
];
const NEGATIONS: &[&str] = &[
    "not", "never", "no", "none", "nothing", "neither", "nor", "without", "avoid", "refuse", "nicht", "kein",
    "keine", "keinen", "keiner", "nie", "niemals", "ohne", "pas", "jamais", "sans", "nunca", "jamás", "sin",
];
const FINITE: [&str; 9] = ["is", "are", "was", "were", "has", "have", "had", "did", "does"];
/// Verbs with the same form in the past.
const UNCHANGED: [&str; 9] = ["read", "set", "put", "let", "cut", "shut", "split", "hit", "cost"];
/// Between "never" and its verb. "have" is from "should have checked".
const ADVERBS: [&str; 7] = ["ever", "just", "simply", "again", "always", "have", "blindly"];
/// Words of other languages that forbid wherever they stand in a clause.
const FOREIGN_NEVER: [&str; 7] = ["nie", "niemals", "keinesfalls", "nicht", "jamais", "nunca", "jamás"];
const FOREIGN_ALWAYS: [&str; 4] = ["immer", "stets", "toujours", "siempre"];
/// Auxiliaries of other languages: their clauses describe.
const FOREIGN_AUXILIARIES: &[&str] = &[
    "hat", "hast", "habe", "haben", "hatte", "wurde", "wurden", "war", "waren", "ist", "sind", "wird", "es",
    "du", "sie", "er", "wir", "ich", "a", "ai", "as", "ont", "est", "ha", "han", "fue", "era",
];
const FOREIGN_ARTICLES: &[&str] = &[
    "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "le", "la", "les", "un",
    "une", "el", "los", "las", "ne", "mit", "zu", "zum", "zur", "für",
];

/// The directives of a sentence.
pub(super) fn directives(sentence: &str) -> Vec<Directive> {
    let mut found: Vec<Directive> = Vec::new();
    // The directive before the clause.
    let mut after: Option<Directive> = None;
    for clause in clauses(sentence) {
        let read = match clause.joint {
            Joint::InsteadOf => after.as_ref().and_then(|before| alternative(before, &clause)),
            _ => directive(&clause.words),
        };
        // "Do not guess and send": what follows may be forbidden too.
        let unclear = clause.joint == Joint::List
            && after.as_ref().is_some_and(|before| before.forbids)
            && read.as_ref().is_some_and(|read| !read.is_explicit);
        let read = read.filter(|_| !unclear);
        if clause.joint != Joint::InsteadOf && !unclear {
            after.clone_from(&read);
        }
        found.extend(read);
    }
    found
}

/// "use rg instead of grep": what not to use.
fn alternative(before: &Directive, clause: &Clause) -> Option<Directive> {
    if before.forbids || before.verb.is_none() {
        return None;
    }
    let (mut words, condition) = content(&clause.words)?;
    // "instead of using grep" has its own verb.
    let own = clause.words.first().filter(|word| word.ends_with("ing")).map(|word| stem(word));
    let verb = own.or_else(|| before.verb.clone());
    words.extend(verb.clone());
    Some(Directive { forbids: true, verb, words, condition, is_explicit: true })
}

fn directive(words: &[String]) -> Option<Directive> {
    let words: Vec<&str> =
        words.iter().map(String::as_str).skip_while(|word| FILLERS.contains(word)).collect();
    passive(&words).or_else(|| foreign(&words)).or_else(|| active(&words))
}

/// "--force must never be used".
fn passive(words: &[&str]) -> Option<Directive> {
    let modal = words.iter().position(|word| MODALS.contains(word)).filter(|at| *at > 0)?;
    let mut at = modal + 1;
    let mut forbids = false;
    let mut had_be = false;
    while let Some(word) = words.get(at) {
        match *word {
            "not" | "never" => forbids = true,
            "always" | "only" => {}
            "be" => had_be = true,
            _ => break,
        }
        at += 1;
    }
    let verb = stem(words.get(at).filter(|_| had_be)?);
    // "can be used" allows, "can not be used" forbids.
    let demands_or_forbids = forbids || DEMANDS.contains(&words[modal]);
    let (mut all, _) = content(&words[..modal])?;
    if !demands_or_forbids || all.is_empty() || words[modal..].contains(&"only") {
        return None;
    }
    let (_, condition) = content(&words[at + 1..])?;
    all.insert(verb.clone());
    Some(Directive { forbids, verb: Some(verb), words: all, condition, is_explicit: true })
}

/// "Verwende niemals --force": the word that forbids is anywhere.
fn foreign(words: &[&str]) -> Option<Directive> {
    let forbids = words.iter().any(|word| FOREIGN_NEVER.contains(word)) || has_french_negation(words);
    let demands = words.iter().any(|word| FOREIGN_ALWAYS.contains(word));
    if forbids == demands || words.iter().any(|word| FOREIGN_AUXILIARIES.contains(word)) {
        return None;
    }
    let rest: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !FOREIGN_NEVER.contains(word) && !FOREIGN_ALWAYS.contains(word) && *word != "pas")
        .collect();
    let (all, condition) = content(&rest)?;
    let verb = rest.iter().find(|word| is_content(word)).map(|word| stem(word));
    Some(Directive { forbids, verb, words: all, condition, is_explicit: true })
}

fn has_french_negation(words: &[&str]) -> bool {
    words.len() > 2 && words.contains(&"pas")
}

/// "never use --force", "you must check the date", "use --force".
fn active(words: &[&str]) -> Option<Directive> {
    let (subject, rest) = match words {
        [first, ..] if DETERMINERS.contains(first) => {
            words.split_at(words.iter().position(|word| DEMANDS.contains(word))?)
        }
        [first, rest @ ..] if PRONOUNS.contains(first) => (&words[..1], rest),
        _ => (&words[..0], words),
    };
    let (forbids, is_explicit, rest) = match rest {
        [modal, "not" | "never", rest @ ..] if DEMANDS.contains(modal) => (true, true, rest),
        [modal, rest @ ..] if DEMANDS.contains(modal) => (false, true, rest),
        ["need" | "have" | "remember", "to", rest @ ..] => (false, true, rest),
        // With a subject, what follows describes: "you never checked the date".
        _ if !subject.is_empty() => return None,
        ["make" | "be", "sure", "to", rest @ ..] => (false, true, rest),
        ["never", rest @ ..] | ["do", "not", rest @ ..] => (true, true, rest),
        ["always", rest @ ..] => (false, true, rest),
        // "No error handling" and "no tests" say what is missing.
        ["avoid", rest @ ..] => return avoided(rest),
        ["stop", rest @ ..] if is_gerund(rest.first().copied()) => return avoided(rest),
        rest => (false, false, rest),
    };
    let adverbs = rest.iter().take_while(|word| ADVERBS.contains(word)).count();
    // A limited prohibition: "do not just check".
    let limits = rest[..adverbs].iter().any(|word| matches!(*word, "just" | "simply" | "blindly" | "always"));
    let [verb, rest @ ..] = &rest[adverbs..] else { return None };
    let is_verb = !is_function_word(verb) && verb.chars().all(char::is_alphabetic);
    if !is_verb || is_past_never(words, verb) || (!is_explicit && describes(verb, rest)) {
        return None;
    }
    let (mut all, condition) = content(rest)?;
    let about = subject.iter().filter(|word| is_content(word) && !AGENTS.contains(word));
    all.extend(about.map(|word| stem(word)));
    let verb = stem(verb);
    all.insert(verb.clone());
    let condition = if limits && forbids { Condition::Strict } else { condition };
    Some(Directive { forbids, verb: Some(verb), words: all, condition, is_explicit })
}

/// "Never checked the date" tells what was missing. "Never read the file" may do so.
fn is_past_never(words: &[&str], verb: &str) -> bool {
    words.first() == Some(&"never") && (verb.ends_with("ed") || UNCHANGED.contains(&verb))
}

/// Whether a clause without a word such as "always" tells what happened: "used --force", "uses --force", "use of --force
/// deleted it".
fn describes(verb: &str, rest: &[&str]) -> bool {
    let is_past = |word: &&str| word.ends_with("ed") || FINITE.contains(word);
    let is_third_person = verb.ends_with('s') && !verb.ends_with("ss");
    let is_form =
        verb.ends_with("ed") || verb.ends_with("ing") || is_third_person || UNCHANGED.contains(&verb);
    is_form || rest.first() == Some(&"of") || rest.iter().any(is_past)
}

/// "avoid using --force", "avoid --force", "stop guessing".
fn avoided(rest: &[&str]) -> Option<Directive> {
    let verb = rest.first().filter(|word| is_gerund(Some(**word))).map(|word| stem(word));
    let (words, condition) = content(rest)?;
    (!words.is_empty()).then_some(Directive { forbids: true, verb, words, condition, is_explicit: true })
}

fn is_gerund(word: Option<&str>) -> bool {
    word.is_some_and(|word| word.len() > 4 && word.ends_with("ing"))
}

/// The stems of the content words up to the first condition. `None` if a negation makes the meaning unclear.
fn content<W: AsRef<str>>(words: &[W]) -> Option<(BTreeSet<String>, Condition)> {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let end = words.iter().position(|word| condition(word) != Condition::None).unwrap_or(words.len());
    // The strictest one counts.
    let found = words[end..].iter().map(|word| condition(word)).max().unwrap_or(Condition::None);
    let is_denied = words.iter().any(|word| NEGATIONS.contains(word));
    (!is_denied || found == Condition::Strict).then(|| {
        (words[..end].iter().filter(|word| is_content(word)).map(|word| stem(word)).collect(), found)
    })
}

fn condition(word: &str) -> Condition {
    match word {
        _ if CONDITIONS.contains(&word) => Condition::Strict,
        _ if ORDERS.contains(&word) => Condition::Order,
        _ if CONTEXTS.contains(&word) => Condition::Context,
        _ => Condition::None,
    }
}

fn is_content(word: &&str) -> bool {
    !is_function_word(word) && !FOREIGN_ARTICLES.contains(word) && !FILLERS.contains(word)
}
