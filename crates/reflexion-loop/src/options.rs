//! How a run goes: every choice, with its default.

use std::num::NonZeroU32;
use std::time::Duration;

use reflect_evaluation::Score;

use crate::Budget;

/// Three trials, as in the first library of this kind.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
pub const DEFAULT_MAX_TRIALS: u32 = 3;
/// Three notes, as in the paper.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
pub const DEFAULT_MEMORY_SIZE: usize = 3;
/// As many tokens as a few notes and memories take, and no more than a small model can spare.
const PROMPT_BUDGET: usize = 4_000;
const RECALL_LIMIT: usize = 5;

/// What a trial is told of the ones before it. Memories that were recalled are shown in any case.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CarryOver {
    /// Nothing: each trial starts as the first one did.
    None,
    /// What the last trial did and what was said of it.
    LastAttempt,
    /// The notes.
    #[default]
    Reflections,
    /// The notes and the last attempt.
    Both,
    /// The notes and every attempt, as if the conversation had gone on.
    FullHistory,
}

impl CarryOver {
    /// Whether notes are shown.
    pub const fn shows_notes(self) -> bool {
        matches!(self, Self::Reflections | Self::Both | Self::FullHistory)
    }

    /// Whether the last attempt is shown, alone or among others.
    pub const fn shows_attempts(self) -> bool {
        matches!(self, Self::LastAttempt | Self::Both | Self::FullHistory)
    }
}

/// When memories are recalled.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RecallWhen {
    /// Before the first trial.
    #[default]
    Once,
    /// Before every trial.
    EveryTrial,
}

/// What is recorded in the long-term memory.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RecordWhen {
    /// Every trial, with its review.
    #[default]
    EachTrial,
    /// The last trial of the run alone.
    FinalOnly,
    /// Every trial without a review: somebody else will say what became of it.
    Deferred,
}

/// Which trials a memory answers for.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Credit {
    /// The first trial that was shown it: a recalled memory for trial 1, a note for the trial right after it.
    ///
    /// Trials of one task are alike. A memory that answered for each of them would sink for the same failure
    /// three times, and later trials have notes to thank or to blame.
    #[default]
    FirstShown,
    /// Every trial that was shown it.
    EveryTrial,
    /// The last trial of the run.
    FinalOnly,
}

/// What to do about an agent that gives the same answer again.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stall {
    /// Nothing.
    #[default]
    Ignore,
    /// Stop when answer and feedback are those of the trial before.
    StopOnRepeat,
}

/// What to do about an actor that does not work, once retries are used up.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnActorError {
    /// Stop with an error that holds the state.
    #[default]
    Abort,
    /// Count it as an attempt that failed, with the error as feedback.
    FailTrial,
}

/// What to do about an evaluator that does not work, once retries are used up.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnEvaluatorError {
    /// Stop with an error that holds the state.
    #[default]
    Abort,
    /// Count the verdict as unclear: the run goes on and the trial gets no review.
    Unjudged,
}

/// What to do about a hook that fails.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnHookError {
    /// Stop with an error that holds the state.
    #[default]
    Abort,
    /// Write it to the log and go on.
    Log,
}

/// What to do when the long-term memory does not answer.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MemoryFailure {
    /// Say so in an event and go on without it.
    #[default]
    Open,
    /// Stop with an error that holds the state.
    Closed,
}

/// How often a step is tried again when its error says that waiting may help.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// How often.
    pub times: u32,
    /// How long before the first; doubled each time, unless the error asks for a longer wait.
    pub first_wait: Duration,
    /// The longest wait.
    pub longest_wait: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self { times: 2, first_wait: Duration::from_millis(500), longest_wait: Duration::from_secs(30) }
    }
}

/// How long a step may take, one try of it. None means as long as it likes.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// An attempt. Unless set, as long as it likes: only the caller knows how long its agent works.
    pub act: Option<Duration>,
    /// An evaluation. Unless set, two minutes.
    pub evaluate: Option<Duration>,
    /// A reflection. Unless set, two minutes.
    pub reflect: Option<Duration>,
    /// Recalling memories. Unless set, five seconds: the agent is waiting.
    pub recall: Option<Duration>,
    /// Recording a trial. Unless set, ten seconds.
    pub record: Option<Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        Self {
            act: None,
            evaluate: seconds(120),
            reflect: seconds(120),
            recall: seconds(5),
            record: seconds(10),
        }
    }
}

/// Who takes part beside the actor and the evaluator.
///
/// Filled in by [`ReflexionBuilder::build`](crate::ReflexionBuilder::build).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parties {
    /// There is a reflector.
    pub reflector: bool,
    /// There is a long-term memory.
    pub memory: bool,
    /// The long-term memory wants reflections that no trial will read.
    pub memory_wants_reflections: bool,
    /// A hook wants them.
    pub hooks_want_reflections: bool,
}

/// How a run goes. Made by [`ReflexionBuilder`](crate::ReflexionBuilder), which checks it.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The most trials. Unless set, [`DEFAULT_MAX_TRIALS`].
    pub max_trials: NonZeroU32,
    /// The most notes that are kept. Unless set, [`DEFAULT_MEMORY_SIZE`].
    pub memory_size: usize,
    /// What a trial is told of the ones before it.
    pub carry_over: CarryOver,
    /// Which score is as good as a pass.
    pub score_threshold: Option<Score>,
    /// What the run may cost.
    pub budget: Budget,
    /// How long a step may take.
    pub timeouts: Timeouts,
    /// How many candidates a trial has, all at the same time. Unless set, one.
    pub parallel: NonZeroU32,
    /// How often a step is tried again.
    pub retries: Retries,
    /// When memories are recalled.
    pub recall: RecallWhen,
    /// How many. Unless set, five.
    pub recall_limit: usize,
    /// What is recorded.
    pub record: RecordWhen,
    /// Whether candidates that were not chosen are recorded too. They answer for no memory. Unless set, not.
    pub record_all_candidates: bool,
    /// Which trials a memory answers for.
    pub credit: Credit,
    /// Whether an unclear verdict is asked for once more. Unless set, it is.
    pub repair_unclear: bool,
    /// Whether a pass is reflected on, for the long-term memory or a hook. Unless set, not.
    pub reflect_on_pass: bool,
    /// What to do about an actor that does not work.
    pub on_actor_error: OnActorError,
    /// What to do about an evaluator that does not work.
    pub on_evaluator_error: OnEvaluatorError,
    /// What to do about a hook that fails.
    pub on_hook_error: OnHookError,
    /// What to do when the long-term memory does not answer.
    pub memory_failure: MemoryFailure,
    /// What to do about the same answer again.
    pub stall: Stall,
    /// How many tokens notes, memories and earlier attempts may add to the task. Unless set, 4,000.
    pub prompt_budget: Option<usize>,
    /// Who takes part.
    pub parties: Parties,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_trials: NonZeroU32::new(DEFAULT_MAX_TRIALS).unwrap_or(NonZeroU32::MIN),
            memory_size: DEFAULT_MEMORY_SIZE,
            carry_over: CarryOver::default(),
            score_threshold: None,
            budget: Budget::default(),
            timeouts: Timeouts::default(),
            parallel: NonZeroU32::MIN,
            retries: Retries::default(),
            recall: RecallWhen::default(),
            recall_limit: RECALL_LIMIT,
            record: RecordWhen::default(),
            record_all_candidates: false,
            credit: Credit::default(),
            repair_unclear: true,
            reflect_on_pass: false,
            on_actor_error: OnActorError::default(),
            on_evaluator_error: OnEvaluatorError::default(),
            on_hook_error: OnHookError::default(),
            memory_failure: MemoryFailure::default(),
            stall: Stall::default(),
            prompt_budget: Some(PROMPT_BUDGET),
            parties: Parties::default(),
        }
    }
}
