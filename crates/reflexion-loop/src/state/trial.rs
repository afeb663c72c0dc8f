//! One trial: while it runs, and after it has ended.

use std::collections::BTreeMap;

use reflect_evaluation::{Attempt, Evaluation, Verdict};
use reflection_pipeline::ReflectionResult;
use serde::{Deserialize, Serialize};

use super::{RunState, Stop};
use crate::long_term::Recorded;
use crate::options::{CreditPolicy, Options};

/// One of the parallel attempts of a trial.
///
/// See [`Trial`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its number, from 1.
    pub number: u32,
    /// Its attempt.
    pub attempt: Attempt,
    /// Its evaluation. `None` until it is evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluation>,
    /// How often the evaluator was called.
    #[serde(default)]
    pub evaluations: u32,
}

/// A trial that has not ended.
///
/// See [`Trial`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenTrial {
    /// Its number, from 1.
    pub number: u32,
    /// When it began.
    pub started_at: String,
    /// The ids of the memories in its prompt, including notes that became memories.
    pub shown: Vec<String>,
    /// The candidates that have acted.
    pub candidates: Vec<Candidate>,
    /// The chosen candidate. `None` until one is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<u32>,
    /// Why the run ends with this trial. `None` if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// The reflection on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection: Option<ReflectionResult>,
    /// The ids that its records got, by candidate.
    #[serde(default)]
    pub recorded: BTreeMap<u32, Recorded>,
}

/// A trial that has ended.
///
/// [`RunState::trials`] contains all of a run. [`Outcome`](crate::Outcome) contains the best one and has an example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Its number, from 1.
    pub number: u32,
    /// The number of the chosen candidate.
    pub candidate: u32,
    /// The attempt of that candidate.
    pub attempt: Attempt,
    /// The evaluation of that attempt.
    pub evaluation: Evaluation,
    /// The verdict, with the score threshold applied.
    pub verdict: Verdict,
    /// The reflection on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection: Option<ReflectionResult>,
    /// The ids of the memories in its prompt.
    #[serde(default)]
    pub shown: Vec<String>,
    /// The ids of the memories that it gives credit to.
    #[serde(default)]
    pub credited: Vec<String>,
    /// The ids that its record got. `None` if it was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// The other candidates that have acted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Candidate>,
    /// When it began.
    pub started_at: String,
    /// When it ended. Empty if the run was interrupted before.
    pub ended_at: String,
}

impl OpenTrial {
    pub(crate) fn new(number: u32, started_at: String, shown: Vec<String>) -> Self {
        Self {
            number,
            started_at,
            shown,
            candidates: Vec::new(),
            chosen: None,
            stop: None,
            reflection: None,
            recorded: BTreeMap::new(),
        }
    }

    /// The candidate with this number.
    pub fn candidate(&self, number: u32) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.number == number)
    }

    /// The chosen candidate with its evaluation.
    pub fn decided(&self) -> Option<(&Candidate, &Evaluation)> {
        let candidate = self.candidate(self.chosen?)?;
        Some((candidate, candidate.evaluation.as_ref()?))
    }

    /// The memories that the trial gives credit to.
    pub(crate) fn credited(&self, state: &RunState, options: &Options) -> Vec<String> {
        let shown_before = |id: &&String| state.trials.iter().any(|trial| trial.shown.contains(id));
        match options.credit {
            CreditPolicy::FirstShown => self.shown.iter().filter(|id| !shown_before(id)).cloned().collect(),
            CreditPolicy::EveryTrial => self.shown.clone(),
            CreditPolicy::FinalOnly if self.stop.is_some() => self.shown.clone(),
            CreditPolicy::FinalOnly => Vec::new(),
        }
    }

    /// The trial as evaluated. `None` if no candidate is chosen.
    pub(crate) fn judged(&self, state: &RunState, options: &Options) -> Option<Trial> {
        let (chosen, evaluation) = self.decided()?;
        let others = self.candidates.iter().filter(|other| other.number != chosen.number);
        Some(Trial {
            number: self.number,
            candidate: chosen.number,
            attempt: chosen.attempt.clone(),
            evaluation: evaluation.clone(),
            verdict: evaluation.verdict_at(options.threshold()),
            reflection: self.reflection.clone(),
            shown: self.shown.clone(),
            credited: self.credited(state, options),
            recorded: self.recorded.get(&chosen.number).cloned(),
            others: others.cloned().collect(),
            started_at: self.started_at.clone(),
            ended_at: String::new(),
        })
    }
}
