//! What the reducer asks the session to do. The session executes effects; the reducer stays free of I/O.

use reflect_types::{ReviewId, TraceId};

use super::submission::Submission;

/// Something to do outside of the state.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    /// Fetch this many runs.
    Fetch(usize),
    Send {
        trace: TraceId,
        submission: Submission,
    },
    /// Undo a verdict: remove it from the outbox if it is still there, else withdraw it from the server.
    Undo {
        trace: TraceId,
        review: Option<ReviewId>,
    },
    /// Give up the leases of these runs.
    Release(Vec<TraceId>),
    /// Load the trajectory of a run, starting at this step.
    LoadSteps {
        trace: TraceId,
        from: usize,
    },
    /// Open the text in the reviewer's editor.
    Edit(String),
    Quit,
}
