//! Changes the review state: an event comes in, effects come out. No I/O and no clock: the caller passes the time.

mod conflicts;
mod decisions;
mod keys;
mod navigation;
#[cfg(test)]
pub(crate) mod tests;

use std::time::Duration;

use reflect_api::{QueuedTraces, TraceSteps};
use reflect_types::TraceId;

pub(crate) use keys::Key;

use super::effects::Effect;
use super::state::ReviewState;
use super::submission::{SendOutcome, Submission};

/// Something that happened.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    Key(Key),
    Pasted(String),
    /// The text that the editor saved; `None` if the editor exited with an error.
    Edited(Option<String>),
    /// The server sent runs.
    Fetched(QueuedTraces),
    FetchFailed(String),
    /// The server sent steps of a trajectory.
    StepsLoaded(TraceSteps),
    LoadFailed(String),
    /// The leases of these runs are lost: another reviewer has them, or they are reviewed or deleted.
    LeasesLost(Vec<TraceId>),
    /// The result of sending a submission.
    Sent {
        trace: TraceId,
        submission: Submission,
        outcome: SendOutcome,
    },
    /// Some seconds have passed.
    Tick,
    /// The state is on the screen.
    Painted,
}

/// Applies an event. `now` counts from any fixed start.
pub(crate) fn reduce(state: &mut ReviewState, event: Event, now: Duration) -> Vec<Effect> {
    let mut effects = match event {
        Event::Key(key) => keys::press(state, key, now),
        Event::Pasted(text) => keys::paste(state, &text),
        Event::Edited(text) => decisions::edited(state, text),
        Event::Fetched(page) => fetched(state, page),
        Event::FetchFailed(message) => {
            state.prefetch.failed();
            state.notice = Some(message);
            Vec::new()
        }
        Event::StepsLoaded(page) => navigation::steps_loaded(state, page),
        Event::LoadFailed(message) => {
            state.trajectory = None;
            state.notice = Some(message);
            Vec::new()
        }
        Event::LeasesLost(traces) => leases_lost(state, &traces),
        Event::Sent { trace, submission, outcome } => decisions::sent(state, trace, submission, outcome),
        Event::Tick => {
            state.prefetch.retry();
            Vec::new()
        }
        Event::Painted => {
            state.key_guard.painted(state.queue.current_id(), now);
            Vec::new()
        }
    };
    if !effects.contains(&Effect::Quit) {
        let until_limit = state.limit.saturating_sub(state.tally.decided());
        effects.extend(state.prefetch.start(state.queue.open().len(), until_limit).map(Effect::Fetch));
    }
    effects
}

fn fetched(state: &mut ReviewState, page: QueuedTraces) -> Vec<Effect> {
    state.prefetch.completed(page.items.len());
    state.queue.add(page);
    // Only if the reviewer has nothing left to decide: new runs must not replace a run that is being read.
    if state.queue.current_open().is_none()
        && let Some(next) = state.queue.next_open(None)
    {
        state.go_to(next);
    }
    Vec::new()
}

fn leases_lost(state: &mut ReviewState, traces: &[TraceId]) -> Vec<Effect> {
    if state.queue.remove_lost(traces) {
        state.notice = Some("Another reviewer has that run now.".to_owned());
        let last = || state.queue.items().last().map(|item| item.id());
        if let Some(next) = state.queue.next_open(None).or_else(last) {
            state.go_to(next);
        }
    }
    Vec::new()
}
