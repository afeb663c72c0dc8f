//! What has happened, and where that leads.

use reflect_evaluation::{Attempt, Evaluation, Verdict};
use reflection_pipeline::ReflectionResult;

use super::step::unrecorded;
use super::{Candidate, OpenTrial, Phase, RunState, Step, Stop};
use crate::budget::Price;
use crate::long_term::{Recall, Recorded};
use crate::notes::{Note, note_text};
use crate::prompt::compose;
use crate::{Options, RecallWhen, Stall};

/// What has happened since the last step was asked for.
///
/// See [`RunState`](crate::RunState) for an example.
#[derive(Debug, Clone, PartialEq)]
pub enum Happened {
    /// The run has begun.
    Begun,
    /// Memories were recalled; none, if the memory did not answer and that is no reason to stop.
    Recalled(Recall),
    /// A trial has begun.
    Started {
        /// When.
        at: String,
    },
    /// A candidate has done its work. If it gave up, its verdict is set.
    Acted {
        /// Which one.
        candidate: u32,
        /// What it did.
        attempt: Attempt,
    },
    /// A candidate was evaluated.
    Evaluated {
        /// Which one.
        candidate: u32,
        /// What was said of it.
        evaluation: Evaluation,
        /// Whether it is to be taken as it is, unclear or not.
        settled: bool,
    },
    /// A reflection was made.
    Reflected(ReflectionResult),
    /// Whoever wanted to know of it was told.
    Announced,
    /// A candidate was recorded, or could not be and that is no reason to stop.
    Recorded {
        /// Which one.
        candidate: u32,
        /// What became of it.
        recorded: Recorded,
    },
    /// The trial has ended.
    Ended {
        /// When.
        at: String,
    },
    /// Something was paid for.
    Paid(Price),
    /// The run is to stop.
    Stopped(Stop),
}

/// Something was said to have happened that could not have, as the run stood.
///
/// See [`RunState`](crate::RunState) for an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("that cannot happen while the run is in {phase:?}; do what next_step says and report that")]
pub struct OutOfOrder {
    phase: Phase,
}

impl RunState {
    /// Takes in what has happened.
    pub fn apply(&mut self, options: &Options, happened: Happened) -> Result<(), OutOfOrder> {
        let phase = self.phase;
        let out_of_order = OutOfOrder { phase };
        match (phase, happened) {
            (_, Happened::Paid(price)) => self.spent.add(price),
            (Phase::Done { .. }, _) => return Err(out_of_order),
            (_, Happened::Stopped(stop)) => self.stopped(stop, options),
            (Phase::New, Happened::Begun) => self.phase = self.before_trial(1, options),
            (Phase::Recall { trial }, Happened::Recalled(recall)) => {
                self.recalled = recall.memories;
                self.retrieval_id = recall.retrieval_id;
                self.phase = Phase::Start { trial };
            }
            (Phase::Start { trial }, Happened::Started { at }) => {
                let shown = compose(self, options).shown();
                self.open = Some(OpenTrial::new(trial, at, shown));
                self.phase = Phase::Act { trial };
            }
            (Phase::Act { trial }, Happened::Acted { candidate, attempt }) => {
                let open = self.open.as_mut().ok_or(out_of_order)?;
                if candidate == 0 || candidate > options.parallel.get() || open.candidate(candidate).is_some()
                {
                    return Err(out_of_order);
                }
                // Nobody has to judge an attempt that says itself that it was given up.
                let evaluation =
                    attempt.error.as_ref().map(|error| Evaluation::fail().with_feedback(error.clone()));
                open.candidates.push(Candidate { number: candidate, attempt, evaluation, evaluations: 0 });
                open.candidates.sort_by_key(|candidate| candidate.number);
                if open.candidates.len() == options.parallel.get() as usize {
                    self.phase = Phase::Evaluate { trial };
                }
                self.decide(trial, options);
            }
            (
                Phase::Act { trial } | Phase::Evaluate { trial },
                Happened::Evaluated { candidate, evaluation, settled },
            ) => {
                let open = self.open.as_mut().ok_or(out_of_order)?;
                let found = open.candidates.iter_mut().find(|found| found.number == candidate);
                let found = found.filter(|found| found.evaluation.is_none()).ok_or(out_of_order)?;
                found.evaluations += 1;
                let unclear = evaluation.verdict_at(options.score_threshold) == Verdict::Unclear;
                let again = unclear && !settled && options.repair_unclear && found.evaluations == 1;
                found.evaluation = (!again).then_some(evaluation);
                self.decide(trial, options);
            }
            (Phase::Reflect { trial }, Happened::Reflected(reflection)) => {
                self.open.as_mut().ok_or(out_of_order)?.reflection = Some(reflection);
                self.phase = Phase::Announce { trial };
            }
            (Phase::Announce { trial }, Happened::Announced) => {
                self.phase = self.after_reflection(trial, options)
            }
            (Phase::Record { trial }, Happened::Recorded { candidate, recorded }) => {
                let open = self.open.as_mut().ok_or(out_of_order)?;
                if unrecorded(open, options) != Some(candidate) {
                    return Err(out_of_order);
                }
                open.recorded.insert(candidate, recorded);
                if unrecorded(open, options).is_none() {
                    self.phase = Phase::End { trial };
                }
            }
            (Phase::End { trial }, Happened::Ended { at }) => self.end(trial, at, options),
            _ => return Err(out_of_order),
        }
        Ok(())
    }

    fn before_trial(&self, trial: u32, options: &Options) -> Phase {
        // A run may have been resumed with fewer trials than it began with.
        if trial > options.max_trials.get() {
            return Phase::Done { stop: Stop::MaxTrials };
        }
        let recall = options.parties.memory && (trial == 1 || options.recall == RecallWhen::EveryTrial);
        if recall { Phase::Recall { trial } } else { Phase::Start { trial } }
    }

    /// A trial that was judged is not lost to a budget: it is recorded and ends, without a reflection.
    fn stopped(&mut self, stop: Stop, options: &Options) {
        match (self.phase, stop, self.open.as_mut()) {
            (Phase::Reflect { trial }, Stop::Budget(_), Some(open)) => {
                open.stop.get_or_insert(stop);
                self.phase = self.after_reflection(trial, options);
            }
            (phase, ..) => {
                self.interrupted = Some(phase);
                self.phase = Phase::Done { stop };
            }
        }
    }

    /// Chooses a candidate as soon as one passes or all are judged, and what comes after.
    pub(super) fn decide(&mut self, trial: u32, options: &Options) {
        let Some(open) = &self.open else { return };
        let judged = open.candidates.iter().filter_map(|candidate| {
            let evaluation = candidate.evaluation.as_ref()?;
            Some((evaluation.verdict_at(options.score_threshold), evaluation, candidate))
        });
        let judged: Vec<_> = judged.collect();
        let worth = |(verdict, evaluation, _): &(Verdict, &Evaluation, &Candidate)| {
            (*verdict, evaluation.score.map_or(-1.0, f64::from))
        };
        let best = judged
            .iter()
            .copied()
            .reduce(|best, other| if worth(&other) > worth(&best) { other } else { best });
        let Some((verdict, evaluation, candidate)) = best else { return };
        if verdict != Verdict::Pass && judged.len() < options.parallel.get() as usize {
            return;
        }
        let stop = self.stop_after(trial, verdict, evaluation, candidate, options);
        let chosen = candidate.number;
        let reflects = self.reflects(verdict, stop, options);
        if let Some(open) = &mut self.open {
            open.chosen = Some(chosen);
            open.stop = stop;
        }
        self.phase = if reflects { Phase::Reflect { trial } } else { self.after_reflection(trial, options) };
    }

    fn stop_after(
        &self,
        trial: u32,
        verdict: Verdict,
        evaluation: &Evaluation,
        candidate: &Candidate,
        options: &Options,
    ) -> Option<Stop> {
        if verdict == Verdict::Pass {
            let passed = evaluation.verdict == Verdict::Pass;
            return Some(if passed { Stop::Passed } else { Stop::ScoreReached });
        }
        if trial >= options.max_trials.get() {
            return Some(Stop::MaxTrials);
        }
        let repeated = self.trials.last().is_some_and(|last| {
            last.attempt.final_response == candidate.attempt.final_response
                && last.evaluation.feedback == evaluation.feedback
        });
        if options.stall == Stall::StopOnRepeat && repeated {
            return Some(Stop::Stalled);
        }
        self.spent.reached(&options.budget).map(Stop::Budget)
    }

    /// Whether anybody will read a reflection on the trial.
    fn reflects(&self, verdict: Verdict, stop: Option<Stop>, options: &Options) -> bool {
        let parties = options.parties;
        if !parties.reflector || self.spent.reached(&options.budget).is_some() {
            return false;
        }
        let is_last = stop.is_some();
        let reviewed = match options.record {
            crate::RecordWhen::EachTrial => true,
            crate::RecordWhen::FinalOnly => is_last,
            crate::RecordWhen::Deferred => false,
        };
        // An unclear verdict sends no review, and a lesson travels with a review.
        let for_memory =
            parties.memory && parties.memory_wants_reflections && reviewed && verdict != Verdict::Unclear;
        let for_others = for_memory || parties.hooks_want_reflections;
        match verdict {
            Verdict::Pass => options.reflect_on_pass && for_others,
            Verdict::Fail | Verdict::Unclear => (!is_last && leaves_notes(options)) || for_others,
        }
    }

    fn after_reflection(&self, trial: u32, options: &Options) -> Phase {
        let recorded = self.open.as_ref().is_some_and(|open| Self::is_recorded(open, options));
        if recorded { Phase::Record { trial } } else { Phase::End { trial } }
    }

    fn end(&mut self, trial: u32, at: String, options: &Options) {
        let Some(open) = self.open.take() else { return };
        if let Some(ended) = open.judged(self, options) {
            if let Some(reflection) = ended.reflection.as_ref().filter(|_| ended.verdict != Verdict::Pass) {
                let memory_id = ended.recorded.as_ref().and_then(|recorded| recorded.memory_id.clone());
                self.notes.add(Note { trial, text: note_text(reflection), memory_id });
            }
            self.trials.push(super::Trial { ended_at: at, ..ended });
        }
        let next = self.before_trial(trial.saturating_add(1), options);
        self.phase = match open.stop {
            Some(stop) => {
                // With a larger budget there would have been another trial.
                self.interrupted = stop.is_interruption().then_some(next);
                Phase::Done { stop }
            }
            None => next,
        };
    }

    /// Whether the next step is another one than the attempts of this trial.
    pub(crate) fn is_past_attempts(&self, options: &Options) -> bool {
        !matches!(self.next_step(options), Step::Attempt { .. })
    }
}

fn leaves_notes(options: &Options) -> bool {
    options.memory_size > 0 && options.carry_over.shows_notes()
}
