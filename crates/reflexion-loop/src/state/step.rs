//! What is to be done next.

use super::{OpenTrial, Phase, RunState, Stop};
use crate::{Options, RecordWhen};

/// What is to be done next. Whoever does it says so with [`Happened`](super::Happened).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Begin the run.
    Begin,
    /// Recall memories.
    Recall {
        /// For this trial.
        trial: u32,
    },
    /// Begin a trial.
    Start {
        /// Which one.
        trial: u32,
    },
    /// Let candidates work, and evaluate those that have. All of it may be done at the same time; as soon as the next
    /// step is another one, what is still under way is not wanted any more.
    Attempt {
        /// The trial.
        trial: u32,
        /// The candidates that have to work.
        act: Vec<u32>,
        /// The candidates that have to be evaluated.
        evaluate: Vec<u32>,
    },
    /// Reflect on the trial.
    Reflect {
        /// Which one.
        trial: u32,
    },
    /// Tell what was reflected.
    Announce {
        /// On which trial.
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
        /// Which one.
        trial: u32,
    },
    /// Stop: a limit of the budget is reached.
    Stop {
        /// Why.
        stop: Stop,
    },
    /// Nothing: the run has ended.
    Finished {
        /// Why.
        stop: Stop,
    },
}

impl RunState {
    /// What is to be done next.
    pub fn next_step(&self, options: &Options) -> Step {
        let step = match self.phase {
            Phase::New => Step::Begin,
            Phase::Recall { trial } => Step::Recall { trial },
            Phase::Start { trial } => Step::Start { trial },
            Phase::Act { trial } | Phase::Evaluate { trial } => self.attempt_step(trial, options),
            Phase::Reflect { trial } => Step::Reflect { trial },
            Phase::Announce { trial } => Step::Announce { trial },
            Phase::Record { trial } => self.record_step(trial, options),
            Phase::End { trial } => Step::End { trial },
            Phase::Done { stop } => Step::Finished { stop },
        };
        let is_paid = matches!(step, Step::Start { .. } | Step::Attempt { .. } | Step::Reflect { .. });
        match self.spent.reached(&options.budget).filter(|_| is_paid) {
            Some(kind) => Step::Stop { stop: Stop::Budget(kind) },
            None => step,
        }
    }

    fn attempt_step(&self, trial: u32, options: &Options) -> Step {
        let candidates = self.open.as_ref().map_or(&[][..], |open| &open.candidates);
        let acted = |number: &u32| candidates.iter().any(|candidate| candidate.number == *number);
        let act = (1..=options.parallel.get()).filter(|number| !acted(number)).collect();
        let waiting = candidates.iter().filter(|candidate| candidate.evaluation.is_none());
        Step::Attempt { trial, act, evaluate: waiting.map(|candidate| candidate.number).collect() }
    }

    fn record_step(&self, trial: u32, options: &Options) -> Step {
        let next = self.open.as_ref().and_then(|open| unrecorded(open, options));
        next.map_or(Step::End { trial }, |candidate| Step::Record { trial, candidate })
    }

    /// Whether the trial goes into the long-term memory.
    pub(super) fn is_recorded(open: &OpenTrial, options: &Options) -> bool {
        let wanted = match options.record {
            RecordWhen::EachTrial | RecordWhen::Deferred => true,
            RecordWhen::FinalOnly => open.stop.is_some(),
        };
        options.parties.memory && wanted
    }
}

/// The next candidate that has to be recorded: the chosen one first.
pub(super) fn unrecorded(open: &OpenTrial, options: &Options) -> Option<u32> {
    let judged = open.candidates.iter().filter(|candidate| candidate.evaluation.is_some());
    let others = judged.map(|candidate| candidate.number).filter(|_| options.record_all_candidates);
    let mut all = open.chosen.into_iter().chain(others);
    all.find(|number| !open.recorded.contains_key(number))
}
