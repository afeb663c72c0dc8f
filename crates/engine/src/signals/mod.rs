//! Signals: outcomes of runs that other systems report. They are stored as they come, matched with runs, and turned into reviews
//! by the rules of the project.
//!
//! A signal has no effect when it is received: a job looks at all signals about its run, now and again when one of them has
//! waited long enough for a contradiction. The learning rate of each source follows from its agreement with people, as that of
//! a judge.

mod request;
mod resolve;
mod service;
mod standings;
mod status;

pub use request::{FeedbackVote, SubmittedSignal};
pub(crate) use service::MOST_SIGNALS;
pub use service::{IssuedToken, Signals};
pub use status::{ShownSignal, SourceReport, SourcesReport, TraceSignals};
