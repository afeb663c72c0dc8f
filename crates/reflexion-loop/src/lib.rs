//! Try, evaluate, reflect, try again: the loop of the Reflexion paper as a library.
//!
//! An [`Actor`] attempts a task, an [`Evaluator`] says whether it was done, a [`Reflector`] notes what to do
//! differently, and the next trial is shown the notes. Functions are enough for the first two ([`actor_fn`],
//! [`check_fn`]); a model behind a function ([`model_fn`]) is enough for the third. No server is needed.
//!
//! See [`Reflexion`] for a whole example, [`Run`] for events as they happen, [`FileCheckpoint`] for runs that survive a
//! crash, [`LongTermMemory`] for memories that outlive the run.
//!
//! # How a run goes
//!
//! | State | What comes | Next |
//! |---|---|---|
//! | new | | recall, if there is a long-term memory; else trial 1 |
//! | recall | memories; or an error, which is an event | trial 1 |
//! | act | the attempts of 1 to k candidates | evaluate |
//! | act | an attempt that gave up | evaluate, with a fail already set |
//! | act | an error whose remedy is to wait | again after a wait, then [`RunError`] |
//! | evaluate | pass, or a score that reaches the threshold | record, end |
//! | evaluate | unclear | asked once more; then as a fail, but recorded without a review |
//! | evaluate | fail in the last trial, or a stall | reflect if the long-term memory or a hook wants it; record, end |
//! | evaluate | fail | reflect, record, next trial |
//! | any | cancelled, or out of budget | end; trials that ended are kept, the one under way is recorded nowhere |
//!
//! [`RunState`] is that table: [`next_step`](RunState::next_step) says what to do, [`apply`](RunState::apply) takes in
//! what happened. Neither waits for anything. The state can be written down between any two steps, and a run that is
//! resumed from it goes on as it would have.
//!
//! # Who answers for what
//!
//! With a long-term memory, each trial becomes a trace and each reflection a memory. A memory answers for the
//! first trial that was shown it: what was recalled for trial 1, each note for the trial right after it. See [`Credit`].
//! A check or a person counts in full, a judge less ([`Evaluation::alpha`]), and an unclear verdict not at all.
//!
//! # Differences from the first library of this kind
//!
//! Whoever knows the Go package `reflexion` finds its options here as methods of [`ReflexionBuilder`], its hooks as
//! [`Hooks`] and its three trace events as [`Event`] with their names and fields. Different on purpose:
//!
//! | There | Here | Why |
//! |---|---|---|
//! | success is the substring "SUCCESS" | [`Verdict`], typed and three-valued | "FAILURE: not successfully …" counted as success |
//! | the last answer is returned, pass or fail | [`Outcome`] with stop reason and the **best** answer | the caller could not tell them apart |
//! | all trials share one conversation | each starts clean; [`CarryOver::FullHistory`] is the old way | prompts grew, and the evaluator judged earlier failures |
//! | `trial_end` for the last trial only | for every trial | failed trials had a beginning and no end |
//! | a reflection does not know the ones before | it sees earlier notes and the best attempt | it proposed again what had failed |
//! | the evaluator sees tool names only | arguments and results, cut to a budget | what tools said is what there is to judge |
//! | an error loses everything | [`RunError::partial`] | it was paid for |
//! | memory size 0 pays for reflections and drops them | none is made, unless a hook or the memory wants it | nobody would read it |
//! | the last failure is never reflected on | it is, if there is a long-term memory | it is a lesson like the others |
//! | max trials 0 counts as 1, a negative memory size panics | [`ConfigError`] | a mistake should say so |
//! | a start time is never set | both times are | how long a trial took is worth knowing |
//! | one limit of 128 model calls for all trials, and reaching it is an error | [`Budget`]; an agent that gives up has failed a trial | what was done before the limit was lost |
//! | what judging and reflecting cost is not counted | everything is in [`Spent`] | it is most of the bill of a failing run |
//! | a hook that fails leaves the state half changed | each step is taken in as a whole, before or after its hook | so that it can resume |
//! | cancelling works if some call notices | a token, or dropping the [`Run`]; an interrupted trial is no failure | innocent memories were blamed |
//! | hooks must implement all three methods | all are optional | as its documentation said |
//!
//! The outer loop of the Python library whose reflectors `reflection-pipeline` follows had the same job. From it we kept
//! stop reasons, budgets and thresholds:
//!
//! | There | Here | Why |
//! |---|---|---|
//! | without a threshold it always runs ten times | a pass ends the run | more trials make nothing better |
//! | a threshold reached in the last iteration is "max iterations" | [`Stop::ScoreReached`] | the order of the checks decided |
//! | the cost limit never triggers | costs are added up, reported or by [`price`](ReflexionBuilder::price) | |
//! | an exception of the task is shown to the reflector as output | it is an error, or a failed attempt with its reason | |
//! | only the newest suggestions are kept, and the last output is returned | notes up to a size, and the best answer | a late trial can be worse |
//!
//! # Trust
//!
//! Notes and memories were written by models that read what users, tools and web pages wrote. In the prompt of a trial they
//! stand inside blocks that their text cannot close, cut to [`prompt_budget`](ReflexionBuilder::prompt_budget). What an
//! evaluator keeps in [`Evaluation::private`] is shown to nobody and never written down.

// The workspace's tokio has everything the server needs; this library needs its clock and its channels.
extern crate tokio_lean as tokio;

mod actor;
mod budget;
mod builder;
mod cancel;
mod checkpoint;
mod driver;
mod emitter;
mod event;
mod hooks;
mod long_term;
mod notes;
mod options;
mod outcome;
mod prompt;
mod reflexion;
mod run;
mod state;
mod timestamp;

pub use actor::{Actor, ActorError, ActorFn, IntoAttempt, TrialContext, actor_fn};
pub use budget::{Budget, BudgetKind, Price, Spent};
pub use builder::{ConfigError, ReflexionBuilder};
pub use cancel::CancelToken;
pub use checkpoint::{Checkpoint, FileCheckpoint};
pub use event::{Envelope, Event};
pub use hooks::Hooks;
pub use long_term::{
    Lesson, LongTermMemory, Recall, RecallQuery, Recalled, Recorded, TraceRecord, TraceReview,
};
pub use notes::{Note, Notes};
pub use options::{
    CarryOver, Credit, DEFAULT_MAX_TRIALS, DEFAULT_MEMORY_SIZE, MemoryFailure, OnActorError,
    OnEvaluatorError, OnHookError, Options, Parties, RecallWhen, RecordWhen, Retries, Stall, Timeouts,
};
pub use outcome::{ErrorKind, Outcome, RunError};
pub use reflect_evaluation::{
    Attempt, Evaluation, EvaluationError, Evaluator, LlmEvaluator, ModelError, Score, Task, TextModel, Usage,
    Verdict, check_fn, evaluator_fn, model_fn,
};
pub use reflection_pipeline::{LlmReflector, Reflector};
pub use reflexion::Reflexion;
pub use run::Run;
pub use state::{Candidate, Happened, OpenTrial, OutOfOrder, Phase, RunState, Step, Stop, Trial};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
