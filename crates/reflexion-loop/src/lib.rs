//! The loop of the Reflexion paper as a library: try, evaluate, reflect, try again.
//!
//! An [`Actor`] attempts a task, an [`Evaluator`] decides whether the task is done, and a [`Reflector`] writes a note with
//! improvements. The prompt of the next trial contains the notes. Actor and evaluator can be functions ([`actor_fn`],
//! [`check_fn`]). The reflector can use a function as its model ([`model_fn`]). No server is needed.
//!
//! See [`Reflexion`] for a complete example, [`RunHandle`] for events, [`FileCheckpoint`] for runs that resume after a crash,
//! and [`LongTermMemory`] for memories that persist across runs.
//!
//! # Steps of a run
//!
//! | State | Result of the step | Next |
//! |---|---|---|
//! | new | | recall if there is a long-term memory, otherwise trial 1 |
//! | recall | memories, or an error, which is emitted as an event | trial 1 |
//! | act | the attempts of 1 to k candidates | evaluate |
//! | act | an attempt with an error | evaluate; the verdict is a fail without a call of the evaluator |
//! | act | a retryable error | retry after a wait; after the last retry [`RunError`] |
//! | evaluate | pass, or a score that reaches the threshold | record, end |
//! | evaluate | unclear | evaluate once more; then continue like a fail, but record without a review |
//! | evaluate | fail in the last trial, or a stall | reflect if the long-term memory or a hook requests it; record, end |
//! | evaluate | fail | reflect, record, next trial |
//! | any | cancelled, or a budget limit | end; completed trials are kept, the current trial is not recorded |
//!
//! [`RunState`] implements this table: [`next_step`](RunState::next_step) returns the next step, and
//! [`apply`](RunState::apply) applies its result. Both are pure functions without I/O. The state can be serialised between
//! any two steps, and a run can resume from it.
//!
//! # Credit
//!
//! With a long-term memory, each trial becomes a trace and each reflection a memory. A memory gets credit from the
//! first trial that shows it: trial 1 for a recalled memory, the next trial for a note. See [`CreditPolicy`].
//! Verdicts of a judge have a lower learning rate than those of a check or a person ([`Evaluation::alpha`]). An unclear
//! verdict gives no credit.
//!
//! # Differences from the Go package
//!
//! The options of the Go package `reflexion` are fields of [`Options`], its hooks are [`Hooks`], and its three trace events
//! are in [`Event`] with the same names and fields. Intended differences:
//!
//! | Go package | This crate | Reason |
//! |---|---|---|
//! | success is the substring "SUCCESS" | [`Verdict`], typed and three-valued | "FAILURE: not successfully …" counted as success |
//! | the last answer is returned, pass or fail | [`Outcome`] with stop reason and the **best** answer | the caller could not distinguish success from failure |
//! | all trials share one conversation | each trial starts a new one; [`CarryOver::FullHistory`] gives the old behaviour | prompts grew, and the evaluator judged earlier failures |
//! | `trial_end` for the last trial only | for every trial | failed trials had a start event without an end event |
//! | a reflection does not see earlier ones | it sees earlier notes and the best attempt | it repeated suggestions that had failed |
//! | the evaluator sees tool names only | it sees arguments and results, shortened to a token budget | tool results are the evidence for a verdict |
//! | an error loses all results | [`RunError::partial`] has the state | the results have a cost |
//! | with memory size 0, reflections are generated and dropped | none is generated, unless a hook or the memory requests it | nothing would read it |
//! | no reflection on the last failure | there is one, if there is a long-term memory | it is a useful lesson too |
//! | max trials 0 counts as 1, a negative memory size panics | [`ConfigError`] | invalid values are reported |
//! | the start time is never set | start and end times are set | the duration of a trial is known |
//! | one limit of 128 model calls for all trials, and reaching it is an error | [`Budget`]; an agent that gives up fails the trial | results before the limit were lost |
//! | the cost of evaluations and reflections is not counted | [`Spent`] includes all costs | it is most of the cost of a failing run |
//! | a failed hook leaves a partly changed state | each step is applied completely, before or after its hook | the run can resume |
//! | cancellation works only if a call checks for it | a token, or dropping the [`RunHandle`]; an interrupted trial is not a failure | memories lost credit for interrupted trials |
//! | hooks must implement all three methods | all are optional | its documentation says the same |
//!
//! Stop reasons, budgets and thresholds come from the outer loop of the Python library that `reflection-pipeline` follows.
//! Intended differences:
//!
//! | Python library | This crate | Reason |
//! |---|---|---|
//! | without a threshold it always runs ten times | a pass ends the run | more trials give no benefit |
//! | a threshold reached in the last iteration is "max iterations" | [`Stop::ScoreReached`] | the result depended on the order of the checks |
//! | the cost limit has no effect | costs are summed, as reported or from [`price`](ReflexionBuilder::price) | |
//! | the reflector gets an exception of the task as output | it is an error, or a failed attempt with its reason | |
//! | only the newest suggestions are kept, and the last output is returned | a bounded list of notes, and the best answer | a later trial can be worse |
//!
//! # Trust
//!
//! Notes and memories come from models that read text of users, tools and web pages. In the prompt of a trial they are in
//! blocks that their text cannot close, shortened to [`prompt_budget`](Options::prompt_budget). The content of
//! [`Evaluation::private`] is never shown and never stored.

// The workspace enables all tokio features that the server needs. This library needs only timers and channels.
extern crate tokio_lean as tokio;

mod actor;
mod budget;
mod cancel;
mod checkpoint;
mod config_error;
mod driver;
mod emitter;
mod event;
mod hooks;
mod long_term;
mod notes;
mod options;
mod outcome;
mod reflexion;
mod run;
mod state;
mod timestamp;

pub use actor::{Actor, ActorError, ActorFn, IntoAttempt, TrialContext, actor_fn};
pub use budget::{Budget, BudgetKind, Price, Spent};
pub use cancel::CancelToken;
pub use checkpoint::{Checkpoint, FileCheckpoint};
pub use config_error::ConfigError;
pub use event::{Envelope, Event};
pub use hooks::Hooks;
pub use long_term::{
    Lesson, LongTermMemory, Recall, RecallQuery, RecalledMemory, Recorded, TraceRecord, TraceReview,
};
pub use notes::{Note, Notes};
pub use options::{
    CarryOver, CreditPolicy, DEFAULT_MAX_TRIALS, DEFAULT_MEMORY_SIZE, MemoryFailure, OnActorError,
    OnEvaluatorError, OnHookError, Options, Participants, RecallWhen, RecordWhen, Retries, RunConfig, Stall,
    Timeouts,
};
pub use outcome::{ErrorKind, Outcome, RunError};
pub use reflect_evaluation::{
    Attempt, Evaluation, EvaluationError, Evaluator, LlmEvaluator, ModelError, Score, Task, TextModel, Usage,
    Verdict, check_fn, evaluator_fn, model_fn,
};
pub use reflection_pipeline::{LlmReflector, Reflector};
pub use reflexion::{Reflexion, ReflexionBuilder};
pub use run::RunHandle;
pub use state::{Candidate, NextStep, OpenTrial, OutOfOrder, Phase, RunState, Stop, Transition, Trial};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
