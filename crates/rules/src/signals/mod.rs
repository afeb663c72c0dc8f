//! What the signals about a run mean: whether they become its review, wait, or have no effect.
//!
//! Times are milliseconds since 1970. The caller reads the signals, and applies the decision in one transaction.

use std::collections::HashMap;

use reflect_types::{ReviewResult, ReviewerKind, SignalReport, SignalSource, SourceRule};

/// A signal about a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    /// The system that it comes from.
    pub source: SignalSource,
    /// What it reports.
    pub report: SignalReport,
    /// When that happened.
    pub occurred_at: i64,
    /// When it was received. Breaks ties.
    pub received_at: i64,
    /// Whether an untrusted key sent it.
    pub untrusted: bool,
}

/// How the signals of one source count now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SourceStanding {
    /// The rule of the project.
    pub rule: SourceRule,
    /// Whether the source agrees too little with people.
    pub stopped: bool,
}

/// The review that a run has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExistingReview {
    /// Who gave it.
    pub by: ReviewerKind,
    /// Its result.
    pub result: ReviewResult,
    /// Whether the key behind it is untrusted.
    pub untrusted: bool,
    /// Whether signals gave it, and none of their source is about the run any more.
    pub orphaned: bool,
}

/// What one signal means now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalStanding {
    /// Its result is the result of the run.
    Decides,
    /// It has the same result as the one that decides.
    Agrees,
    /// A later signal of its source replaces it.
    Superseded,
    /// A signal of a source with a higher precedence, or a later one, contradicts it.
    Outweighed,
    /// It waits until this time for a signal that contradicts it.
    Waits(i64),
    /// Its score lies between the thresholds.
    Unclear,
    /// The project does not count its source.
    NotCounted,
    /// Its source agrees too little with people.
    Stopped,
}

/// What to do with the review of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalAction {
    /// Nothing: no signal decides, the run has this result, or a person reviewed it.
    Keep,
    /// Store a review with this result. `signal` is the index of the signal that decides.
    Review {
        /// The index of the signal.
        signal: usize,
        /// The result.
        result: ReviewResult,
    },
    /// Withdraw the review: the signals that gave it are about another run.
    Withdraw,
}

/// What the signals about a run mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignalDecision {
    /// What to do now.
    pub action: SignalAction,
    /// When the decision may change although no further signal arrives.
    pub again_at: Option<i64>,
    /// The meaning of each signal, in the order of the input.
    pub standings: Vec<SignalStanding>,
}

/// A signal that is the latest of its source, with its result and the time from which it has an effect.
#[derive(Clone, Copy)]
struct Candidate {
    signal: usize,
    result: ReviewResult,
    due: i64,
    rank: Rank,
}

/// Trusted before untrusted, then the precedence of the source.
type Rank = (bool, u8);

/// Decides what the signals about a run mean at a time. `blind`: they are withheld from reviewers and become no review.
///
/// Of each source the latest signal with a result counts, so a source that reports again corrects itself. Signals of untrusted
/// keys are compared with each other, and lose against all others.
pub fn decide(
    signals: &[RunReport],
    standing: impl Fn(&SignalSource) -> SourceStanding,
    review: Option<ExistingReview>,
    blind: bool,
    now: i64,
) -> SignalDecision {
    let counted: Vec<SourceStanding> = signals.iter().map(|signal| standing(&signal.source)).collect();
    let results: Vec<Option<ReviewResult>> =
        signals.iter().zip(&counted).map(|(signal, of)| of.rule.result(signal.report)).collect();
    let kind = |(of, result): (&SourceStanding, &Option<ReviewResult>)| match result {
        _ if !of.rule.counts => SignalStanding::NotCounted,
        _ if of.stopped => SignalStanding::Stopped,
        None => SignalStanding::Unclear,
        Some(_) => SignalStanding::Superseded,
    };
    let mut standings: Vec<SignalStanding> = counted.iter().zip(&results).map(kind).collect();
    let mut candidates = Vec::new();
    for at in latest(signals, &results) {
        let Some(result) = results[at].filter(|_| standings[at] == SignalStanding::Superseded) else {
            continue;
        };
        let rule = counted[at].rule;
        let wait = i64::try_from(rule.wait_seconds(result)).unwrap_or(i64::MAX).saturating_mul(1000);
        let due = signals[at].occurred_at.saturating_add(wait);
        candidates.push(Candidate {
            signal: at,
            result,
            due,
            rank: (!signals[at].untrusted, rule.precedence),
        });
        standings[at] = SignalStanding::Waits(due);
    }
    let (due, waiting): (Vec<Candidate>, Vec<Candidate>) =
        candidates.into_iter().partition(|candidate| candidate.due <= now);
    let winner =
        due.iter().max_by_key(|candidate| (candidate.rank, order(signals, candidate.signal))).copied();
    for candidate in &due {
        standings[candidate.signal] = match winner {
            Some(winner) if winner.signal == candidate.signal => SignalStanding::Decides,
            Some(winner) if winner.result == candidate.result => SignalStanding::Agrees,
            _ => SignalStanding::Outweighed,
        };
    }
    let may_change = |candidate: &&Candidate| {
        winner.is_none_or(|winner| winner.result != candidate.result && winner.rank <= candidate.rank)
    };
    let again_at = waiting.iter().filter(may_change).map(|candidate| candidate.due).min();
    let action = match winner.filter(|_| !blind) {
        Some(winner) if may_store(review, winner.result, signals[winner.signal].untrusted) => {
            SignalAction::Review { signal: winner.signal, result: winner.result }
        }
        None if review.is_some_and(|review| review.orphaned) => SignalAction::Withdraw,
        _ => SignalAction::Keep,
    };
    SignalDecision { action, again_at, standings }
}

/// The latest signal with a result of each source, of trusted and of untrusted keys separately.
fn latest(signals: &[RunReport], results: &[Option<ReviewResult>]) -> Vec<usize> {
    let mut of_source: HashMap<(&SignalSource, bool), usize> = HashMap::new();
    for (at, signal) in signals.iter().enumerate().filter(|(at, _)| results[*at].is_some()) {
        let known = of_source.entry((&signal.source, signal.untrusted)).or_insert(at);
        if order(signals, *known) < order(signals, at) {
            *known = at;
        }
    }
    of_source.into_values().collect()
}

/// The order in which signals of one rank replace each other.
fn order(signals: &[RunReport], at: usize) -> (i64, i64, usize) {
    (signals[at].occurred_at, signals[at].received_at, at)
}

/// Whether signals may give a run this result.
fn may_store(review: Option<ExistingReview>, result: ReviewResult, untrusted: bool) -> bool {
    let Some(review) = review else { return true };
    let by_untrusted_signal = review.by == ReviewerKind::Signal && review.untrusted;
    // Also after a judge: what a system reports was not read by a model.
    review.by.is_automatic()
        && (review.untrusted || !untrusted)
        // The words and the weight of a trusted key count, also if its signal came later.
        && (review.result != result || by_untrusted_signal && !untrusted)
}

#[cfg(test)]
mod tests;
