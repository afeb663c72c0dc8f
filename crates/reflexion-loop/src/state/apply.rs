//! The transitions of the state machine.

use reflect_evaluation::{Attempt, Evaluation, Verdict};
use reflection_pipeline::ReflectionResult;

use super::decide;
use super::next_step::next_unrecorded;
use super::prompt::compose;
use super::{Candidate, OpenTrial, Phase, RunState, Stop};
use crate::budget::Price;
use crate::long_term::{Recall, Recorded};
use crate::notes::{Note, note_text};
use crate::options::{Options, RunConfig};

/// The result of a step, reported to [`RunState::apply`].
///
/// See [`RunState`](crate::RunState) for an example.
#[derive(Debug, Clone, PartialEq)]
pub enum Transition {
    /// The run began.
    Begun,
    /// Memories were recalled. Empty if the memory failed and the options allow that.
    Recalled(Recall),
    /// A trial began.
    Started {
        /// When.
        at: String,
    },
    /// A candidate finished its attempt. An attempt with an error fails without an evaluation.
    Acted {
        /// Its number.
        candidate: u32,
        /// Its attempt.
        attempt: Attempt,
    },
    /// A candidate was evaluated.
    Evaluated {
        /// Its number.
        candidate: u32,
        /// Its evaluation.
        evaluation: Evaluation,
        /// Whether an unclear evaluation is final. Otherwise it may be repeated.
        is_final: bool,
    },
    /// A reflection was generated.
    Reflected(ReflectionResult),
    /// The hooks were called and the event was emitted for the reflection.
    Announced,
    /// A candidate was recorded, or recording failed and the options allow that.
    Recorded {
        /// Its number.
        candidate: u32,
        /// The ids that it got.
        recorded: Recorded,
    },
    /// The trial ended.
    Ended {
        /// When.
        at: String,
    },
    /// A step used tokens, money or model calls.
    Paid(Price),
    /// The run must stop.
    Stopped(Stop),
}

/// A transition that is not possible in the current phase.
///
/// See [`RunState`](crate::RunState) for an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the transition is not possible while the run is in {phase:?}; do what next_step returns and apply its result"
)]
pub struct OutOfOrder {
    phase: Phase,
}

impl RunState {
    /// Applies the result of a step.
    pub fn apply(&mut self, config: &RunConfig, transition: Transition) -> Result<(), OutOfOrder> {
        let phase = self.phase;
        let out_of_order = OutOfOrder { phase };
        match (phase, transition) {
            (_, Transition::Paid(price)) => self.spent.add(price),
            (Phase::Done { .. }, _) => return Err(out_of_order),
            (_, Transition::Stopped(stop)) => self.stopped(stop, config),
            (Phase::New, Transition::Begun) => self.phase = decide::before_trial(1, config),
            (Phase::Recall { trial }, Transition::Recalled(recall)) => {
                self.recalled = recall.memories;
                self.retrieval_id = recall.retrieval_id;
                self.phase = Phase::Start { trial };
            }
            (Phase::Start { trial }, Transition::Started { at }) => {
                let shown = compose(self, &config.options).shown();
                self.open = Some(OpenTrial::new(trial, at, shown));
                self.phase = Phase::Act { trial };
            }
            (Phase::Act { trial }, Transition::Acted { candidate, attempt }) => {
                let open = self.open.as_mut().ok_or(out_of_order)?;
                add_candidate(open, &config.options, candidate, attempt).ok_or(out_of_order)?;
                if open.candidates.len() == config.options.parallel as usize {
                    self.phase = Phase::Evaluate { trial };
                }
                self.choose(trial, config);
            }
            (
                Phase::Act { trial } | Phase::Evaluate { trial },
                Transition::Evaluated { candidate, evaluation, is_final },
            ) => {
                let open = self.open.as_mut().ok_or(out_of_order)?;
                let found = open.candidates.iter_mut().find(|found| found.number == candidate);
                let found = found.filter(|found| found.evaluation.is_none()).ok_or(out_of_order)?;
                found.evaluations += 1;
                let unclear = evaluation.verdict_at(config.options.threshold()) == Verdict::Unclear;
                let repeat = unclear && !is_final && config.options.repair_unclear && found.evaluations == 1;
                found.evaluation = (!repeat).then_some(evaluation);
                self.choose(trial, config);
            }
            (Phase::Reflect { trial }, Transition::Reflected(reflection)) => {
                self.open.as_mut().ok_or(out_of_order)?.reflection = Some(reflection);
                self.phase = Phase::Announce { trial };
            }
            (Phase::Announce { trial }, Transition::Announced) => {
                self.phase = decide::after_reflection(self, trial, config);
            }
            (Phase::Record { trial }, Transition::Recorded { candidate, recorded }) => {
                let open = self.open.as_mut().ok_or(out_of_order)?;
                if next_unrecorded(open, &config.options) != Some(candidate) {
                    return Err(out_of_order);
                }
                open.recorded.insert(candidate, recorded);
                if next_unrecorded(open, &config.options).is_none() {
                    self.phase = Phase::End { trial };
                }
            }
            (Phase::End { trial }, Transition::Ended { at }) => self.end(trial, at, config),
            _ => return Err(out_of_order),
        }
        Ok(())
    }

    /// A budget limit does not discard an evaluated trial: it is recorded and ends, without a reflection.
    fn stopped(&mut self, stop: Stop, config: &RunConfig) {
        match (self.phase, stop, self.open.as_mut()) {
            (Phase::Reflect { trial }, Stop::Budget(_), Some(open)) => {
                open.stop.get_or_insert(stop);
                self.phase = decide::after_reflection(self, trial, config);
            }
            (phase, ..) => {
                self.interrupted = Some(phase);
                self.phase = Phase::Done { stop };
            }
        }
    }

    /// Chooses a candidate if one passed or all are evaluated, and sets the next phase.
    pub(super) fn choose(&mut self, trial: u32, config: &RunConfig) {
        let Some(open) = &self.open else { return };
        let Some((verdict, candidate)) = decide::best_candidate(open, &config.options) else { return };
        let (chosen, stop) = (candidate.number, decide::stop_after(self, trial, verdict, candidate, config));
        let reflects = decide::needs_reflection(self, verdict, stop, config);
        if let Some(open) = &mut self.open {
            open.chosen = Some(chosen);
            open.stop = stop;
        }
        self.phase =
            if reflects { Phase::Reflect { trial } } else { decide::after_reflection(self, trial, config) };
    }

    fn end(&mut self, trial: u32, at: String, config: &RunConfig) {
        let Some(open) = self.open.take() else { return };
        if let Some(ended) = open.judged(self, &config.options) {
            if let Some(reflection) = ended.reflection.as_ref().filter(|_| ended.verdict != Verdict::Pass) {
                let memory_id = ended.recorded.as_ref().and_then(|recorded| recorded.memory_id.clone());
                self.notes.add(Note { trial, text: note_text(reflection), memory_id });
            }
            self.trials.push(super::Trial { ended_at: at, ..ended });
        }
        let next = decide::before_trial(trial.saturating_add(1), config);
        self.phase = match open.stop {
            Some(stop) => {
                // With a larger budget the run continues with this phase.
                self.interrupted = stop.is_interruption().then_some(next);
                Phase::Done { stop }
            }
            None => next,
        };
    }
}

/// Adds the attempt of a candidate. `None` if the candidate does not exist or already has an attempt.
fn add_candidate(open: &mut OpenTrial, options: &Options, number: u32, attempt: Attempt) -> Option<()> {
    if number == 0 || number > options.parallel || open.candidate(number).is_some() {
        return None;
    }
    // An attempt with an error fails without an evaluation.
    let evaluation = attempt.error.as_ref().map(|error| Evaluation::fail().with_feedback(error.clone()));
    open.candidates.push(Candidate { number, attempt, evaluation, evaluations: 0 });
    open.candidates.sort_by_key(|candidate| candidate.number);
    Some(())
}
