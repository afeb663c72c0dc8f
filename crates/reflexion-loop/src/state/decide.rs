//! The decisions of the state machine. They read the state and change nothing.

use reflect_evaluation::Verdict;

use super::{Candidate, OpenTrial, Phase, RunState, Stop};
use crate::options::{Options, RecallWhen, RecordWhen, RunConfig, Stall};

/// The phase that starts a trial.
pub(super) fn before_trial(trial: u32, config: &RunConfig) -> Phase {
    // A resumed run can have a lower limit than before.
    if trial > config.options.max_trials {
        return Phase::Done { stop: Stop::MaxTrials };
    }
    let recall = trial == 1 || config.options.recall == RecallWhen::EveryTrial;
    if config.participants.memory && recall { Phase::Recall { trial } } else { Phase::Start { trial } }
}

/// The best candidate with its verdict, if one passed or all are evaluated.
pub(super) fn best_candidate<'a>(open: &'a OpenTrial, options: &Options) -> Option<(Verdict, &'a Candidate)> {
    let evaluated = open.candidates.iter().filter_map(|candidate| {
        let evaluation = candidate.evaluation.as_ref()?;
        let verdict = evaluation.verdict_at(options.threshold());
        Some(((verdict, evaluation.score.map_or(-1.0, f64::from)), candidate))
    });
    let evaluated: Vec<_> = evaluated.collect();
    let count = evaluated.len();
    let best = evaluated.into_iter().reduce(|best, other| if other.0 > best.0 { other } else { best });
    let ((verdict, _), candidate) = best?;
    let decided = verdict == Verdict::Pass || count >= options.parallel as usize;
    decided.then_some((verdict, candidate))
}

/// Why the run stops after this trial, if it does.
pub(super) fn stop_after(
    state: &RunState,
    trial: u32,
    verdict: Verdict,
    candidate: &Candidate,
    config: &RunConfig,
) -> Option<Stop> {
    let evaluation = candidate.evaluation.as_ref();
    if verdict == Verdict::Pass {
        let passed = evaluation.is_some_and(|evaluation| evaluation.verdict == Verdict::Pass);
        return Some(if passed { Stop::Passed } else { Stop::ScoreReached });
    }
    if trial >= config.options.max_trials {
        return Some(Stop::MaxTrials);
    }
    let feedback = evaluation.and_then(|evaluation| evaluation.feedback.as_ref());
    let repeated = state.trials.last().is_some_and(|last| {
        last.attempt.final_response == candidate.attempt.final_response
            && last.evaluation.feedback.as_ref() == feedback
    });
    if config.options.stall == Stall::StopOnRepeat && repeated {
        return Some(Stop::Stalled);
    }
    state.spent.reached(&config.options.budget).map(Stop::Budget)
}

/// Whether a later trial, the long-term memory or a hook reads a reflection on the trial.
pub(super) fn needs_reflection(
    state: &RunState,
    verdict: Verdict,
    stop: Option<Stop>,
    config: &RunConfig,
) -> bool {
    let RunConfig { options, participants } = config;
    if !participants.reflector || state.spent.reached(&options.budget).is_some() {
        return false;
    }
    let is_last = stop.is_some();
    let reviewed = match options.record {
        RecordWhen::EachTrial => true,
        RecordWhen::FinalOnly => is_last,
        RecordWhen::Deferred => false,
    };
    // The lesson is part of the review, and an unclear verdict has no review.
    let for_memory = participants.memory
        && participants.memory_wants_reflections
        && reviewed
        && verdict != Verdict::Unclear;
    let for_others = for_memory || participants.hooks_want_reflections;
    match verdict {
        Verdict::Pass => options.reflect_on_pass && for_others,
        Verdict::Fail | Verdict::Unclear => (!is_last && options.uses_notes()) || for_others,
    }
}

/// The phase after the reflection, or after the evaluation if there is no reflection.
pub(super) fn after_reflection(state: &RunState, trial: u32, config: &RunConfig) -> Phase {
    let recorded = state.open.as_ref().is_some_and(|open| is_recorded(open, config));
    if recorded { Phase::Record { trial } } else { Phase::End { trial } }
}

/// Whether the trial is recorded in the long-term memory.
fn is_recorded(open: &OpenTrial, config: &RunConfig) -> bool {
    let wanted = match config.options.record {
        RecordWhen::EachTrial | RecordWhen::Deferred => true,
        RecordWhen::FinalOnly => open.stop.is_some(),
    };
    config.participants.memory && wanted
}
