//! The options of a run, with their defaults.

use std::time::Duration;

use reflect_evaluation::Score;

use crate::budget::Budget;
use crate::config_error::ConfigError;

/// The default number of trials, as in the Go package `reflexion`.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
pub const DEFAULT_MAX_TRIALS: u32 = 3;
/// The default number of notes, as in the Reflexion paper.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
pub const DEFAULT_MEMORY_SIZE: usize = 3;
/// Enough tokens for a few notes and memories, and small enough for models with a short context.
const PROMPT_BUDGET: usize = 4_000;
const RECALL_LIMIT: usize = 5;
/// More parallel candidates are probably a mistake and would be expensive.
const MAX_CANDIDATES: u32 = 64;
/// With a smaller budget not even one note fits into its block.
const MIN_PROMPT_BUDGET: usize = 100;

/// What a trial sees of earlier trials. Recalled memories are shown in every case.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CarryOver {
    /// Nothing: each trial starts like the first one.
    None,
    /// The last attempt and its feedback.
    LastAttempt,
    /// The notes that the reflector wrote about them.
    #[default]
    Reflections,
    /// The notes and the last attempt.
    Both,
    /// The notes and every attempt, like one continued conversation.
    FullHistory,
}

impl CarryOver {
    /// Whether notes are shown.
    pub const fn shows_notes(self) -> bool {
        matches!(self, Self::Reflections | Self::Both | Self::FullHistory)
    }

    /// Whether at least the last attempt is shown.
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
    /// Only the last trial of the run.
    FinalOnly,
    /// Every trial without a review. Another system reviews the traces later.
    Deferred,
}

/// Which trials give credit to a memory: their verdicts change its utility.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CreditPolicy {
    /// The first trial that shows the memory: trial 1 for a recalled memory, the next trial for a note.
    ///
    /// Trials of one task are similar. With credit from each of them, a memory would lose utility several times for
    /// the same failure. Later trials also depend on the notes.
    #[default]
    FirstShown,
    /// Every trial that shows the memory.
    EveryTrial,
    /// The last trial of the run.
    FinalOnly,
}

/// What to do if the agent repeats its answer.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stall {
    /// Continue.
    #[default]
    Ignore,
    /// Stop if answer and feedback equal those of the previous trial.
    StopOnRepeat,
}

/// What to do if the actor returns an error after all retries.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnActorError {
    /// Stop with an error that contains the state.
    #[default]
    Abort,
    /// Count the attempt as failed, with the error as feedback.
    FailTrial,
}

/// What to do if the evaluator returns an error after all retries.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnEvaluatorError {
    /// Stop with an error that contains the state.
    #[default]
    Abort,
    /// Use the verdict `Unclear`: the run continues and the trial gets no review.
    Unjudged,
}

/// What to do if a hook returns an error.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnHookError {
    /// Stop with an error that contains the state.
    #[default]
    Abort,
    /// Log a warning and continue.
    Log,
}

/// What to do if the long-term memory returns an error or times out.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MemoryFailure {
    /// Emit an event and continue without the memory.
    #[default]
    Open,
    /// Stop with an error that contains the state.
    Closed,
}

/// Retries of a step whose error is retryable.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// The maximum number of retries.
    pub times: u32,
    /// The wait before the first retry. It doubles with each retry. The error can request a longer wait.
    pub first_wait: Duration,
    /// The maximum wait.
    pub longest_wait: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self { times: 2, first_wait: Duration::from_millis(500), longest_wait: Duration::from_secs(30) }
    }
}

/// The timeout of one try of each step. `None` means no timeout.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// An attempt. Default: none, because only the caller knows how long the agent works.
    pub act: Option<Duration>,
    /// An evaluation. Default: 120 seconds.
    pub evaluate: Option<Duration>,
    /// A reflection. Default: 120 seconds.
    pub reflect: Option<Duration>,
    /// Recalling memories. Default: 5 seconds, because the agent waits for them.
    pub recall: Option<Duration>,
    /// Recording a trial. Default: 10 seconds.
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

/// The options of a run. [`ReflexionBuilder::build`](crate::ReflexionBuilder::build) validates them.
///
/// ```
/// use reflexion_loop::{Options, Stall};
///
/// let options = Options { max_trials: 5, stall: Stall::StopOnRepeat, ..Options::default() };
/// assert!(options.validate().is_ok());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The maximum number of trials, at least 1. Default: [`DEFAULT_MAX_TRIALS`].
    pub max_trials: u32,
    /// The maximum number of notes. Default: [`DEFAULT_MEMORY_SIZE`]. With 0, no notes are shown, and reflections are
    /// generated only for a hook or the long-term memory.
    pub memory_size: usize,
    /// What a trial sees of earlier trials. Default: their notes.
    pub carry_over: CarryOver,
    /// The score, from 0 to 1, that counts as a pass. Default: none.
    pub score_threshold: Option<f64>,
    /// The limits of the run. Default: none.
    pub budget: Budget,
    /// The timeout of each step.
    pub timeouts: Timeouts,
    /// The number of parallel candidates of a trial, from 1 to 64. The first that passes wins and the others are
    /// dropped. Default: 1.
    pub parallel: u32,
    /// The retries of a step whose error is retryable. Default: 2.
    pub retries: Retries,
    /// When memories are recalled. Default: once.
    pub recall: RecallWhen,
    /// The maximum number of recalled memories. Default: 5.
    pub recall_limit: usize,
    /// What is recorded. Default: each trial.
    pub record: RecordWhen,
    /// Whether candidates that were not chosen are recorded too. They give no credit to memories. Default: no.
    pub record_all_candidates: bool,
    /// Which trials give credit to a memory. Default: the first trial that shows it.
    pub credit: CreditPolicy,
    /// Whether an unclear evaluation is repeated once. Default: yes.
    pub repair_unclear: bool,
    /// Whether a pass is reflected on, for the long-term memory or a hook. Default: no.
    pub reflect_on_pass: bool,
    /// What to do if the actor returns an error. Default: abort.
    pub on_actor_error: OnActorError,
    /// What to do if the evaluator returns an error. Default: abort.
    pub on_evaluator_error: OnEvaluatorError,
    /// What to do if a hook returns an error. Default: abort.
    pub on_hook_error: OnHookError,
    /// What to do if the long-term memory fails. Default: continue without it.
    pub memory_failure: MemoryFailure,
    /// What to do if the agent repeats its answer. Default: continue.
    pub stall: Stall,
    /// The maximum number of tokens that notes, memories and earlier attempts add to the task, at least 100. `None`
    /// means no limit. Default: 4,000.
    pub prompt_budget: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_trials: DEFAULT_MAX_TRIALS,
            memory_size: DEFAULT_MEMORY_SIZE,
            carry_over: CarryOver::default(),
            score_threshold: None,
            budget: Budget::default(),
            timeouts: Timeouts::default(),
            parallel: 1,
            retries: Retries::default(),
            recall: RecallWhen::default(),
            recall_limit: RECALL_LIMIT,
            record: RecordWhen::default(),
            record_all_candidates: false,
            credit: CreditPolicy::default(),
            repair_unclear: true,
            reflect_on_pass: false,
            on_actor_error: OnActorError::default(),
            on_evaluator_error: OnEvaluatorError::default(),
            on_hook_error: OnHookError::default(),
            memory_failure: MemoryFailure::default(),
            stall: Stall::default(),
            prompt_budget: Some(PROMPT_BUDGET),
        }
    }
}

impl Options {
    /// Checks that all values are in range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if self.max_trials == 0 {
            return Err(ConfigError::NoTrials);
        }
        if self.score_threshold.is_some_and(|score| Score::new(score).is_err()) {
            return Err(ConfigError::InvalidThreshold);
        }
        if !(1..=MAX_CANDIDATES).contains(&self.parallel) {
            return Err(ConfigError::InvalidParallel);
        }
        let Budget { tokens, cost, time, calls } = self.budget;
        let budgets = [
            ("tokens", tokens == Some(0)),
            ("cost", cost.is_some_and(|cost| !(cost.is_finite() && cost > 0.0))),
            ("time", time.is_some_and(|time| time.is_zero())),
            ("calls", calls == Some(0)),
        ];
        if let Some((name, _)) = budgets.into_iter().find(|(_, invalid)| *invalid) {
            return Err(ConfigError::InvalidBudget(name));
        }
        let Timeouts { act, evaluate, reflect, recall, record } = self.timeouts;
        let timeouts = [
            ("act", act),
            ("evaluate", evaluate),
            ("reflect", reflect),
            ("recall", recall),
            ("record", record),
        ];
        let is_zero = |timeout: Option<Duration>| timeout.is_some_and(|timeout| timeout.is_zero());
        if let Some((name, _)) = timeouts.into_iter().find(|(_, timeout)| is_zero(*timeout)) {
            return Err(ConfigError::InvalidTimeout(name));
        }
        let too_small = self.prompt_budget.is_some_and(|budget| budget < MIN_PROMPT_BUDGET);
        if too_small { Err(ConfigError::InvalidPromptBudget) } else { Ok(()) }
    }

    /// The threshold as a score.
    pub(crate) fn threshold(&self) -> Option<Score> {
        self.score_threshold.and_then(|score| Score::new(score).ok())
    }

    /// Whether a later trial can read notes.
    pub(crate) fn uses_notes(&self) -> bool {
        self.memory_size > 0 && self.carry_over.shows_notes()
    }
}

/// The optional components of a run, as far as they change its steps.
///
/// See [`RunConfig`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Participants {
    /// There is a reflector.
    pub reflector: bool,
    /// There is a long-term memory.
    pub memory: bool,
    /// The long-term memory requests reflections that no trial will read.
    pub memory_wants_reflections: bool,
    /// A hook requests reflections that no trial will read.
    pub hooks_want_reflections: bool,
}

/// The input of the state machine: the options, and which optional components exist.
///
/// [`RunState`](crate::RunState) needs it to decide the next step. [`ReflexionBuilder`](crate::ReflexionBuilder) makes
/// it for its runs; a custom driver makes its own.
///
/// ```
/// use reflexion_loop::{Options, Participants, RunConfig};
///
/// let without_components = RunConfig::from(Options::default());
/// assert_eq!(without_components.participants, Participants::default());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunConfig {
    /// The options. The state machine expects valid options, see [`Options::validate`].
    pub options: Options,
    /// The optional components.
    pub participants: Participants,
}

impl From<Options> for RunConfig {
    fn from(options: Options) -> Self {
        Self { options, participants: Participants::default() }
    }
}
