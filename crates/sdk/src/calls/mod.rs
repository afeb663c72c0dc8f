//! The groups of calls of a client. Each call builds a request, sends it and reads the response.

mod actions;
mod curation;
mod keys;
mod lessons;
mod memories;
mod project;
mod queue;
mod reviews;
mod server;
mod signals;
mod skills;
mod trace_filter;
mod traces;
mod waiting;
mod webhooks;

pub use actions::ActionCalls;
pub use curation::CurationCalls;
pub use keys::KeyCalls;
pub use lessons::LessonCalls;
pub use memories::{Augmented, MemoryCalls, Recalled};
pub use project::ProjectCalls;
pub use queue::QueueCalls;
pub use reviews::{ReviewCalls, ReviewOutcome};
pub use server::ServerCalls;
pub use signals::SignalCalls;
pub use skills::SkillCalls;
pub use trace_filter::TraceFilter;
pub use traces::TraceCalls;
pub use webhooks::WebhookCalls;
