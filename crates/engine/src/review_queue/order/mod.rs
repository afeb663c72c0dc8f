//! Which runs are most informative to review. Pure rules.
//!
//! A reviewer has little time, so runs whose review says most come first. Each run has up to five reasons, each with a
//! weight between 0 and its maximum; the score is their sum. A further reason never lowers the score.

use reflect_store::MemoryStanding;
use reflect_types::TraceId;

/// After this many days of waiting the reason `age` has half its weight.
const DAYS_TO_HALF: f64 = 7.0;
const SECONDS_PER_DAY: f64 = 24.0 * 60.0 * 60.0;

/// Why a run is informative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It had memories with few reviews.
    ThinEvidence,
    /// It had memories with mixed outcomes.
    ConflictingOutcomes,
    /// The judge contradicts the signals of the run, or is not sure.
    JudgeDisagrees,
    /// No memory was found for it: its lesson would be the first of its kind.
    NoNearMemory,
    /// It has waited for a long time.
    Age,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 5] =
        [Self::ThinEvidence, Self::ConflictingOutcomes, Self::JudgeDisagrees, Self::NoNearMemory, Self::Age];

    /// The name of the reason in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ThinEvidence => "thin_evidence",
            Self::ConflictingOutcomes => "conflicting_outcomes",
            Self::JudgeDisagrees => "judge_disagrees",
            Self::NoNearMemory => "no_near_memory",
            Self::Age => "age",
        }
    }

    /// The maximum weight. Age only breaks ties.
    pub const fn most(self) -> f64 {
        match self {
            Self::ThinEvidence | Self::ConflictingOutcomes | Self::JudgeDisagrees => 1.0,
            Self::NoNearMemory => 0.6,
            Self::Age => 0.4,
        }
    }
}

/// The judge's verdict on a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgeView {
    /// Whether the run passed; `None` if the judge could not tell.
    pub passed: Option<bool>,
    /// The confidence of the judge from 0 to 1, if known.
    pub confidence: Option<f32>,
}

/// A pending run with the facts for its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Prospect {
    /// The run.
    pub trace_id: TraceId,
    /// The memories of the run.
    pub memories: Vec<MemoryStanding>,
    /// The verdict of the judge, if there is one.
    pub judge: Option<JudgeView>,
    /// Whether there are signs of a failure.
    pub troubled: bool,
    /// Whether no memory was found for it.
    pub nothing_near: bool,
    /// How long it has waited, in seconds.
    pub age: f64,
}

/// A run with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// The run.
    pub trace_id: TraceId,
    /// The reasons that apply, heaviest first.
    pub reasons: Vec<(Reason, f64)>,
}

impl Scored {
    /// The score.
    pub fn score(&self) -> f64 {
        self.reasons.iter().map(|(_, weight)| weight).sum()
    }
}

/// Computes the score of a run.
pub fn weigh(run: &Prospect) -> Scored {
    let mut reasons: Vec<(Reason, f64)> =
        Reason::ALL.iter().map(|reason| (*reason, reason.most() * share(*reason, run))).collect();
    reasons.retain(|(_, weight)| *weight > 0.0);
    reasons.sort_by(|one, other| other.1.total_cmp(&one.1));
    Scored { trace_id: run.trace_id, reasons }
}

/// The runs by score; ties are broken by waiting time.
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

/// How far a reason applies, from 0 to 1.
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

/// Two uncertain memories count more than one, but a tenth adds little.
fn saturated(sum: f64) -> f64 {
    sum / (sum + 1.0)
}

/// The width of a confidence interval falls with the square root of the number of reviews.
fn thinness(memory: &MemoryStanding) -> f64 {
    1.0 / f64::from(memory.evidence.max(0) + 1).sqrt()
}

/// 1 if half of the runs with the memory failed, 0 if all had the same outcome.
fn conflict(memory: &MemoryStanding) -> f64 {
    let fails = memory.reviews - memory.passes;
    if memory.reviews <= 0 {
        return 0.0;
    }
    2.0 * f64::from(memory.passes.min(fails).max(0)) / f64::from(memory.reviews)
}

/// 1 if the judge could not tell or contradicts the signals; otherwise its uncertainty. Signs of trouble count more
/// against a pass than their absence against a fail.
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
