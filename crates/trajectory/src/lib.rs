//! Reads trajectories: the messages of a run, in whatever format a framework wrote them.
//!
//! This is the only parser of messages. The review digest, the replay of a run, prompts and the links between runs and
//! memories all use it. Its tables of roles, wrappers and fields are in `names.rs`.
//!
//! - [`SentTrajectory`] checks what a client sent and keeps it to the letter.
//! - [`steps`] reads the stored JSON as steps. Nothing is dropped: a field that is not recognised becomes a part.
//! - [`Turn`] is one message, for callers that need the role as it was written.
//! - [`memory_ids`] finds the memories that were pasted into the messages.
//! - [`marked_steps`] finds the steps that a client marked as lessons of their own.
//! - [`Transcript`] reads the files that coding agents write while they work, as runs with messages.
//! - [`otel`] builds runs from OpenTelemetry spans.
//!
//! Reading never fails: a message that is not recognised is shown as the JSON it is. Messages and steps are numbered
//! from 0.

mod block;
mod fields;
#[cfg(test)]
mod fuzz;
mod memories;
mod message;
mod names;
pub mod otel;
mod sent;
mod step;
#[cfg(test)]
mod tests;
mod transcript;

pub use fields::total_tokens;
pub use memories::memory_ids;
pub use message::{MarkedStep, Turn, count_errors, marked_steps, messages, steps};
pub use reflect_types::{PartForm, StepKind};
pub use sent::{MAX_MESSAGES, MAX_VALUES, SentTrajectory, TrajectoryError};
pub use step::{StepPart, TrajectoryStep};
pub use transcript::{ShellCommand, Transcript, TranscriptFormat, TranscriptRun, repaired_json};
