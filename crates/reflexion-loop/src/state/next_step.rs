//! The next step of a run.

use super::{OpenTrial, Phase, RunState, Stop};
use crate::options::{Options, RunConfig};

/// The next step of a run. The driver executes it and reports the result as a [`Transition`](super::Transition).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextStep {
    /// Begin the run.
    Begin,
    /// Recall memories.
    Recall {
        /// The trial.
        trial: u32,
    },
    /// Begin a trial.
    Start {
        /// The trial.
        trial: u32,
    },
    /// Let candidates act, and evaluate those that have acted. All of this can run in parallel. When the next step
    /// becomes a different one, drop the remaining work.
    Attempt {
        /// The trial.
        trial: u32,
        /// The candidates that must act.
        act: Vec<u32>,
        /// The candidates that must be evaluated.
        evaluate: Vec<u32>,
    },
    /// Reflect on the trial.
    Reflect {
        /// The trial.
        trial: u32,
    },
    /// Call the hooks and emit the event for the reflection.
    Announce {
        /// The trial.
        trial: u32,
    },
    /// Record one candidate.
    Record {
        /// The trial.
        trial: u32,
        /// The candidate.
        candidate: u32,
    },
    /// End the trial.
    End {
        /// The trial.
        trial: u32,
    },
    /// Stop, because a budget limit is reached.
    Stop {
        /// Why.
        stop: Stop,
    },
    /// Nothing, because the run has ended.
    Finished {
        /// Why.
        stop: Stop,
    },
}

impl RunState {
    /// The next step.
    pub fn next_step(&self, config: &RunConfig) -> NextStep {
        let options = &config.options;
        let next = match self.phase {
            Phase::New => NextStep::Begin,
            Phase::Recall { trial } => NextStep::Recall { trial },
            Phase::Start { trial } => NextStep::Start { trial },
            Phase::Act { trial } | Phase::Evaluate { trial } => attempt(self, trial, options),
            Phase::Reflect { trial } => NextStep::Reflect { trial },
            Phase::Announce { trial } => NextStep::Announce { trial },
            Phase::Record { trial } => record(self, trial, options),
            Phase::End { trial } => NextStep::End { trial },
            Phase::Done { stop } => NextStep::Finished { stop },
        };
        let costs =
            matches!(next, NextStep::Start { .. } | NextStep::Attempt { .. } | NextStep::Reflect { .. });
        match self.spent.reached(&options.budget).filter(|_| costs) {
            Some(kind) => NextStep::Stop { stop: Stop::Budget(kind) },
            None => next,
        }
    }
}

fn attempt(state: &RunState, trial: u32, options: &Options) -> NextStep {
    let candidates = state.open.as_ref().map_or(&[][..], |open| &open.candidates);
    let acted = |number: &u32| candidates.iter().any(|candidate| candidate.number == *number);
    let act = (1..=options.parallel).filter(|number| !acted(number)).collect();
    let waiting = candidates.iter().filter(|candidate| candidate.evaluation.is_none());
    NextStep::Attempt { trial, act, evaluate: waiting.map(|candidate| candidate.number).collect() }
}

fn record(state: &RunState, trial: u32, options: &Options) -> NextStep {
    let next = state.open.as_ref().and_then(|open| next_unrecorded(open, options));
    next.map_or(NextStep::End { trial }, |candidate| NextStep::Record { trial, candidate })
}

/// The next candidate to record. The chosen candidate is the first.
pub(super) fn next_unrecorded(open: &OpenTrial, options: &Options) -> Option<u32> {
    let judged = open.candidates.iter().filter(|candidate| candidate.evaluation.is_some());
    let others = judged.map(|candidate| candidate.number).filter(|_| options.record_all_candidates);
    let mut all = open.chosen.into_iter().chain(others);
    all.find(|number| !open.recorded.contains_key(number))
}
