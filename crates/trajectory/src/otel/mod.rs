//! Runs that arrive as OpenTelemetry spans.
//!
//! Three steps, all pure: [`read_span`], [`read_context`] and [`read_event`] take from one span or one event what it says
//! about its run, a [`RunPart`]; [`assemble`] builds the run from its parts, which may come in any order;
//! [`read_evaluation`] reads a verdict about a run. The caller decodes OTLP, keeps parts until a run has ended, and drops
//! duplicates.
//!
//! Conventions: GenAI of OpenTelemetry (messages as JSON text, as structured values, in events, and the older flat
//! attributes), OpenInference, the AI SDK, and `traceloop.*`. Spans that follow none of them are not parts of a run.

mod assemble;
mod attributes;
mod contents;
mod evaluation;
mod event;
mod flattened;
#[cfg(test)]
mod fuzz;
mod history;
mod message_json;
mod part;
mod read;
mod span;
#[cfg(test)]
mod tests;
mod tool_runs;

pub use assemble::{AssembledRun, assemble};
pub use evaluation::{EvaluationResult, read_evaluation};
pub use event::read_event;
pub use part::{RunAttributes, RunPart, RunPartKind, TokenUsage, ToolSpan};
pub use read::{read_context, read_span};
pub use span::{OtelEvent, OtelSpan};
