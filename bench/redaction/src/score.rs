//! Counts true positives, misses and false positives.

use std::collections::BTreeMap;

use reflect_redaction::{Class, Findings, Policy, Redactor, TagKey};

use crate::Case;

/// The score of one class, or of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// Redacted values.
    pub found: u64,
    /// Missed values.
    pub missed: u64,
    /// Findings of this class where there is no value.
    pub wrong: u64,
}

impl Score {
    /// Precision: the share of findings that are right.
    pub fn precision(self) -> f64 {
        share(self.found, self.found + self.wrong)
    }

    /// Recall: the share of values that were found.
    pub fn recall(self) -> f64 {
        share(self.found, self.found + self.missed)
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The scores of all classes, and the failed cases.
#[derive(Debug, Default)]
pub struct Scores {
    /// By class.
    pub classes: BTreeMap<Class, Score>,
    /// All classes together.
    pub total: Score,
    /// The failed cases, for debugging.
    pub mistakes: Vec<String>,
}

/// Runs with all rules, as in a project that masks personal data.
pub fn score(cases: &[Case]) -> Scores {
    let policy = Policy { secrets: true, personal: true, ip_addresses: true };
    let redactor = Redactor::new(policy, TagKey::new([9; 32]));
    let mut scores = Scores::default();
    for case in cases {
        let mut findings = Findings::default();
        let redacted = match case.is_json {
            true => redactor.json(&case.text, &mut findings),
            false => redactor.text(&case.text, &mut findings),
        };
        let mut right = None;
        if let Some((class, value)) = &case.value {
            let gone = !plain(&redacted, case.is_json).contains(value);
            let score = scores.classes.entry(*class).or_default();
            if gone {
                score.found += 1;
                // A value may be found as another class; one finding of one class counts as right.
                right = findings.by_class().map(|(found, _)| found).find(|found| found == class);
                right = right.or(findings.by_class().map(|(found, _)| found).next());
            } else {
                score.missed += 1;
                scores.mistakes.push(format!("missed {class}: {}", case.text));
            }
        }
        for (class, count) in findings.by_class() {
            let wrong = count - u64::from(right == Some(class));
            if wrong > 0 {
                scores.classes.entry(class).or_default().wrong += wrong;
                scores.mistakes.push(format!("wrong {class}: {}", case.text));
            }
        }
    }
    for score in scores.classes.values() {
        scores.total.found += score.found;
        scores.total.missed += score.missed;
        scores.total.wrong += score.wrong;
    }
    scores
}

/// The decoded string values of JSON, so that escaped values are counted too.
fn plain(text: &str, is_json: bool) -> String {
    if !is_json {
        return text.to_owned();
    }
    fn said(value: &serde_json::Value, all: &mut String) {
        match value {
            serde_json::Value::String(text) => all.push_str(text),
            serde_json::Value::Array(items) => items.iter().for_each(|item| said(item, all)),
            serde_json::Value::Object(fields) => fields.values().for_each(|field| said(field, all)),
            _ => {}
        }
    }
    let mut all = String::new();
    if let Ok(value) = serde_json::from_str(text) {
        said(&value, &mut all);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SEED, corpus};

    /// A lower result means that a rule became worse. The current results are in docs/PRIVACY.md.
    const LEAST_OF_A_CLASS: f64 = 0.95;
    const LEAST: f64 = 0.99;

    #[test]
    fn precision_and_recall_reach_their_minimum() {
        let scores = score(&corpus(SEED, 3));
        let shown = &scores.mistakes[..scores.mistakes.len().min(20)];
        assert!(
            scores.total.precision() >= LEAST && scores.total.recall() >= LEAST,
            "{:?} {shown:#?}",
            scores.total
        );
        for (class, score) in &scores.classes {
            let (precision, recall) = (score.precision(), score.recall());
            assert!(
                precision >= LEAST_OF_A_CLASS && recall >= LEAST_OF_A_CLASS,
                "{class} {score:?} {shown:#?}"
            );
        }
        assert_eq!(scores.classes.len(), Class::ALL.len());
    }
}
