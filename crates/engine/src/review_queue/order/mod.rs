//! Which runs a verdict would teach most about. Pure rules.
//!
//! A reviewer with ten minutes should move as much as possible that is not known yet. Each run has up to five
//! reasons to come early, each with a weight between nought and its most; the run's score is their sum. No reason
//! takes anything away from another, so a run that has one more never comes later for it.

use reflect_store::MemoryStanding;
use reflect_types::TraceId;

/// A run that has waited so many days has half the weight of age.
const DAYS_TO_HALF: f64 = 7.0;
const SECONDS_PER_DAY: f64 = 24.0 * 60.0 * 60.0;

/// Why a run comes early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It had memories that few reviews say anything about.
    ThinEvidence,
    /// It had memories that passed in some runs and failed in others.
    ConflictingOutcomes,
    /// A judge contradicts what can be seen of the run, or is not sure.
    JudgeDisagrees,
    /// There was no memory for it: its lesson would be the first of its kind.
    NoNearMemory,
    /// It has waited for long.
    Age,
}

impl Reason {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::ThinEvidence, Self::ConflictingOutcomes, Self::JudgeDisagrees, Self::NoNearMemory, Self::Age];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ThinEvidence => "thin_evidence",
            Self::ConflictingOutcomes => "conflicting_outcomes",
            Self::JudgeDisagrees => "judge_disagrees",
            Self::NoNearMemory => "no_near_memory",
            Self::Age => "age",
        }
    }

    /// The most that it may weigh. Age alone outweighs nothing: it is there to decide between equals.
    pub const fn most(self) -> f64 {
        match self {
            Self::ThinEvidence | Self::ConflictingOutcomes | Self::JudgeDisagrees => 1.0,
            Self::NoNearMemory => 0.6,
            Self::Age => 0.4,
        }
    }
}

/// What a judge thinks of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgeView {
    /// Whether it passed; none when the judge could not tell.
    pub passed: Option<bool>,
    /// How sure the judge is, 0 to 1, when it says so.
    pub confidence: Option<f32>,
}

/// A run that waits, with what its place goes by.
#[derive(Debug, Clone, PartialEq)]
pub struct Prospect {
    /// The run.
    pub trace_id: TraceId,
    /// The memories it had.
    pub memories: Vec<MemoryStanding>,
    /// What a judge thinks of it, when one was asked.
    pub judge: Option<JudgeView>,
    /// Whether there are signs that it went wrong.
    pub troubled: bool,
    /// Whether there was no memory for it.
    pub nothing_near: bool,
    /// How long it has waited, in seconds.
    pub age: f64,
}

/// A run with its reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// The run.
    pub trace_id: TraceId,
    /// Why it comes where it comes, heaviest first; reasons that do not apply are left out.
    pub reasons: Vec<(Reason, f64)>,
}

impl Scored {
    /// What it is ordered by.
    pub fn score(&self) -> f64 {
        self.reasons.iter().map(|(_, weight)| weight).sum()
    }
}

/// Weighs a run's reasons.
pub fn weigh(run: &Prospect) -> Scored {
    let mut reasons: Vec<(Reason, f64)> =
        Reason::ALL.iter().map(|reason| (*reason, reason.most() * share(*reason, run))).collect();
    reasons.retain(|(_, weight)| *weight > 0.0);
    reasons.sort_by(|one, other| other.1.total_cmp(&one.1));
    Scored { trace_id: run.trace_id, reasons }
}

/// The most informative first; of equals the one that has waited longer.
///
/// ```
/// use reflect_engine::review_queue::{Prospect, most_informative_first};
/// use reflect_types::TraceId;
///
/// let known = Prospect { trace_id: TraceId::generate(), memories: Vec::new(), judge: None, troubled: false,
///                        nothing_near: false, age: 60.0 };
/// let new = Prospect { trace_id: TraceId::generate(), nothing_near: true, ..known.clone() };
/// assert_eq!(most_informative_first(&[known, new.clone()])[0].trace_id, new.trace_id);
/// ```
pub fn most_informative_first(runs: &[Prospect]) -> Vec<Scored> {
    let mut scored: Vec<Scored> = runs.iter().map(weigh).collect();
    scored
        .sort_by(|one, other| other.score().total_cmp(&one.score()).then(one.trace_id.cmp(&other.trace_id)));
    scored
}

/// How far a reason applies, 0 to 1.
fn share(reason: Reason, run: &Prospect) -> f64 {
    match reason {
        Reason::ThinEvidence => saturated(run.memories.iter().map(thinness).sum()),
        Reason::ConflictingOutcomes => saturated(run.memories.iter().map(conflict).sum()),
        Reason::JudgeDisagrees => run.judge.map_or(0.0, |judge| doubt(judge, run.troubled)),
        Reason::NoNearMemory => f64::from(u8::from(run.nothing_near)),
        Reason::Age => {
            let days = run.age.max(0.0) / SECONDS_PER_DAY;
            days / (days + DAYS_TO_HALF)
        }
    }
}

/// Two uncertain memories are worth more than one, and the tenth hardly anything.
fn saturated(sum: f64) -> f64 {
    sum / (sum + 1.0)
}

/// As the width of an interval goes with the number of reviews it rests on.
fn thinness(memory: &MemoryStanding) -> f64 {
    1.0 / f64::from(memory.evidence.max(0) + 1).sqrt()
}

/// 1 when as many runs with the memory failed as passed, 0 when all went the same way.
fn conflict(memory: &MemoryStanding) -> f64 {
    let fails = memory.reviews - memory.passes;
    if memory.reviews <= 0 {
        return 0.0;
    }
    2.0 * f64::from(memory.passes.min(fails).max(0)) / f64::from(memory.reviews)
}

/// A judge that could not tell, or that contradicts what can be seen; else as far as it is unsure. Signs of trouble
/// say more against a pass than their absence says against a fail.
fn doubt(judge: JudgeView, troubled: bool) -> f64 {
    let contradicts = match judge.passed {
        None => 1.0,
        Some(true) if troubled => 1.0,
        Some(false) if !troubled => 0.5,
        Some(_) => 0.0,
    };
    let unsure = judge.confidence.map_or(0.0, |confidence| 1.0 - f64::from(confidence).clamp(0.0, 1.0));
    f64::max(contradicts, unsure)
}

#[cfg(test)]
mod tests;
