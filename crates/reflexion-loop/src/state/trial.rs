//! One trial: while it goes on, and when it has ended.

use std::collections::BTreeMap;

use reflect_evaluation::{Attempt, Evaluation, Verdict};
use reflection_pipeline::ReflectionResult;
use serde::{Deserialize, Serialize};

use super::{RunState, Stop};
use crate::long_term::Recorded;
use crate::{Credit, Options};

/// One of the attempts that a trial makes at the same time.
///
/// See [`Trial`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its number, from 1.
    pub number: u32,
    /// What it did.
    pub attempt: Attempt,
    /// What was said of it. None while nobody has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluation>,
    /// How often the evaluator was asked.
    #[serde(default)]
    pub evaluations: u32,
}

/// A trial under way.
///
/// See [`Trial`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenTrial {
    /// Its number, from 1.
    pub number: u32,
    /// When it began.
    pub started_at: String,
    /// The ids of the memories that it was shown, notes that became memories included.
    pub shown: Vec<String>,
    /// Its candidates, as far as they have done their work.
    pub candidates: Vec<Candidate>,
    /// The candidate that stands for the trial, once that is decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<u32>,
    /// Why the run ends with this trial, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// What was made of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection: Option<ReflectionResult>,
    /// What became of its records, by candidate.
    #[serde(default)]
    pub recorded: BTreeMap<u32, Recorded>,
}

/// A trial that has ended.
///
/// The ones of a run are in [`RunState::trials`]; the best is in [`Outcome`](crate::Outcome), which has an example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Its number, from 1.
    pub number: u32,
    /// The candidate that stands for it.
    pub candidate: u32,
    /// What that did.
    pub attempt: Attempt,
    /// What was said of it.
    pub evaluation: Evaluation,
    /// The verdict in the light of the threshold.
    pub verdict: Verdict,
    /// What was made of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection: Option<ReflectionResult>,
    /// The ids of the memories that it was shown.
    #[serde(default)]
    pub shown: Vec<String>,
    /// Those of them that it answered for.
    #[serde(default)]
    pub credited: Vec<String>,
    /// What became of its record. None if it was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// The other candidates that had done their work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Candidate>,
    /// When it began.
    pub started_at: String,
    /// When it ended. Empty if the run was interrupted before it did.
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

    /// One of the candidates.
    pub fn candidate(&self, number: u32) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.number == number)
    }

    /// The candidate that stands for the trial, with what was said of it.
    pub fn decided(&self) -> Option<(&Candidate, &Evaluation)> {
        let candidate = self.candidate(self.chosen?)?;
        Some((candidate, candidate.evaluation.as_ref()?))
    }

    /// The memories that the trial answers for.
    pub(crate) fn credited(&self, state: &RunState, options: &Options) -> Vec<String> {
        let shown_before = |id: &&String| state.trials.iter().any(|trial| trial.shown.contains(id));
        match options.credit {
            Credit::FirstShown => self.shown.iter().filter(|id| !shown_before(id)).cloned().collect(),
            Credit::EveryTrial => self.shown.clone(),
            Credit::FinalOnly if self.stop.is_some() => self.shown.clone(),
            Credit::FinalOnly => Vec::new(),
        }
    }

    /// The trial as it stands, once it is decided.
    pub(crate) fn judged(&self, state: &RunState, options: &Options) -> Option<Trial> {
        let (chosen, evaluation) = self.decided()?;
        let others = self.candidates.iter().filter(|other| other.number != chosen.number);
        Some(Trial {
            number: self.number,
            candidate: chosen.number,
            attempt: chosen.attempt.clone(),
            evaluation: evaluation.clone(),
            verdict: evaluation.verdict_at(options.score_threshold),
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
