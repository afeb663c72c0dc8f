//! Connects the review state to the server: it passes events to the reducer and executes the effects. The terminal is
//! handled by `interactive`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use reflect_api::{ChangeLeases, HeldLeases, NextReviews, QueueOrder, QueuedTraces, TraceSteps};
use reflect_sdk::{Error, ReflectClient};
use reflect_types::TraceId;

use super::draw::context::DrawContext;
use super::effects::Effect;
use super::outbox::Outbox;
use super::reducer::{Event, reduce};
use super::send::{send, user_message};
use super::state::ReviewState;
use super::submission::{OutboxEntry, SendOutcome, Submission};

const LEASE_SECONDS: u32 = 120;
const FIRST_WAIT: Duration = Duration::from_millis(500);
const MAX_WAIT: Duration = Duration::from_secs(15);
const MAX_SKIPPED: usize = 1000;

/// The options of `reflect review`.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReviewOptions {
    pub(crate) order: QueueOrder,
    pub(crate) filter: String,
    pub(crate) reviewer: Option<String>,
    pub(crate) blind: bool,
    pub(crate) colour: bool,
}

/// The result of a call to the server.
pub(crate) enum CallResult {
    Fetched(Result<QueuedTraces, Error>),
    StepsLoaded(Result<TraceSteps, Error>),
    Renewed(Vec<TraceId>, Result<HeldLeases, Error>),
    Sent(OutboxEntry, SendOutcome),
    Released,
}

/// A review session.
pub(crate) struct ReviewSession {
    pub(crate) state: ReviewState,
    pub(crate) outbox: Outbox,
    client: ReflectClient,
    options: ReviewOptions,
    pub(crate) calls: FuturesUnordered<BoxFuture<'static, CallResult>>,
    began: Instant,
    /// The first fetch also returns runs that an earlier, killed session still leases.
    is_first: bool,
    wait: Duration,
    /// When to retry after a send failed.
    pub(crate) retry_at: Option<Instant>,
    send_error: Option<String>,
}

impl ReviewSession {
    pub(crate) fn new(client: ReflectClient, outbox: Outbox, options: ReviewOptions, limit: usize) -> Self {
        Self {
            state: ReviewState::new(limit),
            outbox,
            client,
            options,
            calls: FuturesUnordered::new(),
            began: Instant::now(),
            is_first: true,
            wait: FIRST_WAIT,
            retry_at: None,
            send_error: None,
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// What the screen shows besides the state.
    pub(crate) fn draw_context(&self) -> DrawContext {
        DrawContext {
            unsent: self.outbox.waiting().len(),
            send_error: self.send_error.clone(),
            elapsed: self.elapsed(),
            order: order_name(self.options.order),
            blind: self.options.blind,
            colour: self.options.colour,
        }
    }

    /// Fetches the first runs before the screen is taken over: connection errors must appear on the plain terminal.
    pub(crate) async fn begin(&mut self) -> anyhow::Result<()> {
        self.send_next();
        reduce(&mut self.state, Event::Tick, self.began.elapsed());
        let answer = self.fetch(self.state.limit.min(4)).await;
        let CallResult::Fetched(answer) = answer else { return Ok(()) };
        let queue = answer?;
        self.is_first = false;
        self.began = Instant::now();
        self.handle(Event::Fetched(queue))?;
        Ok(())
    }

    /// Applies an event and executes its effects. Returns the effects that only the terminal can execute.
    pub(crate) fn handle(&mut self, event: Event) -> anyhow::Result<Vec<Effect>> {
        let effects = reduce(&mut self.state, event, self.began.elapsed());
        let mut for_terminal = Vec::new();
        for effect in effects {
            match effect {
                Effect::Fetch(count) => {
                    let call = self.fetch(count);
                    self.calls.push(call);
                }
                Effect::Send { trace, submission } => {
                    self.outbox.add(trace, submission)?;
                    self.send_next();
                }
                Effect::Undo { trace, review } => {
                    if !self.outbox.recall(trace)? {
                        self.outbox.add(trace, Submission::Withdraw { review })?;
                        self.send_next();
                    }
                }
                Effect::Release(traces) => self.release(traces),
                Effect::LoadSteps { trace, from } => {
                    let client = self.client.clone();
                    let load =
                        async move { CallResult::StepsLoaded(client.traces.steps(trace, from, None).await) };
                    self.calls.push(Box::pin(load));
                }
                Effect::Edit(_) | Effect::Quit => for_terminal.push(effect),
            }
        }
        Ok(for_terminal)
    }

    /// Handles the result of a call.
    pub(crate) fn handle_result(&mut self, result: CallResult) -> anyhow::Result<()> {
        let event = match result {
            CallResult::Fetched(Ok(queue)) => Event::Fetched(queue),
            CallResult::Fetched(Err(error)) => Event::FetchFailed(user_message(&error)),
            CallResult::StepsLoaded(Ok(steps)) => Event::StepsLoaded(steps),
            CallResult::StepsLoaded(Err(error)) => Event::LoadFailed(user_message(&error)),
            CallResult::Renewed(asked, Ok(leases)) => {
                let held = |trace: &TraceId| leases.held.iter().any(|lease| lease.trace_id == *trace);
                Event::LeasesLost(asked.into_iter().filter(|trace| !held(trace)).collect())
            }
            // Other reviewers may get these runs; the server still accepts a verdict.
            CallResult::Renewed(_, Err(_)) | CallResult::Released => return Ok(()),
            CallResult::Sent(entry, outcome) => return self.handle_sent(entry, outcome),
        };
        self.handle(event).map(|_| ())
    }

    fn handle_sent(&mut self, entry: OutboxEntry, outcome: SendOutcome) -> anyhow::Result<()> {
        if let SendOutcome::Retry { message } = &outcome {
            self.outbox.answered(entry.id, false)?;
            self.send_error = Some(message.clone());
            self.retry_at = Some(Instant::now() + self.wait);
            self.wait = (self.wait * 2).min(MAX_WAIT);
            return Ok(());
        }
        self.outbox.answered(entry.id, true)?;
        (self.send_error, self.wait) = (None, FIRST_WAIT);
        if let (Submission::Review { .. }, SendOutcome::Accepted { review: Some(review) }) =
            (&entry.submission, &outcome)
        {
            self.outbox.set_withdrawn_review(entry.trace, *review)?;
        }
        self.handle(Event::Sent { trace: entry.trace, submission: entry.submission, outcome })?;
        self.send_next();
        Ok(())
    }

    /// Sends the next outbox entry, unless one is in flight or a retry is due later.
    pub(crate) fn send_next(&mut self) {
        if self.retry_at.is_some_and(|at| at > Instant::now()) {
            return;
        }
        self.retry_at = None;
        let Some(entry) = self.outbox.next() else { return };
        let (client, reviewer) = (self.client.clone(), self.options.reviewer.clone());
        let call = async move {
            let outcome = send(&client, &entry, reviewer.as_deref()).await;
            CallResult::Sent(entry, outcome)
        };
        self.calls.push(Box::pin(call));
    }

    fn fetch(&self, count: usize) -> BoxFuture<'static, CallResult> {
        let unsent = self.outbox.waiting().iter().map(|entry| entry.trace);
        let skip: Vec<String> =
            self.state.queue.known().into_iter().chain(unsent).map(|trace| trace.to_string()).collect();
        let newest = skip.len().saturating_sub(MAX_SKIPPED);
        let request = NextReviews {
            count: u32::try_from(count).ok(),
            order: Some(self.options.order),
            lease_seconds: Some(LEASE_SECONDS),
            skip: Some(skip[newest..].to_vec()),
            renew: self.is_first,
            reviewer: self.options.reviewer.clone(),
            filter: None,
            q: Some(self.options.filter.clone()),
        };
        let client = self.client.clone();
        Box::pin(async move { CallResult::Fetched(client.queue.next(&request).await) })
    }

    /// Renews the leases of all undecided runs.
    pub(crate) fn renew(&mut self) {
        let held = self.state.queue.open();
        if held.is_empty() {
            return;
        }
        let (client, request) = (self.client.clone(), self.leases(&held, false));
        self.calls.push(Box::pin(async move {
            CallResult::Renewed(held, client.queue.change_leases(&request).await)
        }));
    }

    fn release(&mut self, traces: Vec<TraceId>) {
        let (client, request) = (self.client.clone(), self.leases(&traces, true));
        self.calls.push(Box::pin(async move {
            // If this fails, the lease expires.
            let _ = client.queue.change_leases(&request).await;
            CallResult::Released
        }));
    }

    fn leases(&self, traces: &[TraceId], release: bool) -> ChangeLeases {
        ChangeLeases {
            trace_ids: traces.iter().map(TraceId::to_string).collect(),
            lease_seconds: (!release).then_some(LEASE_SECONDS),
            release,
            reviewer: self.options.reviewer.clone(),
        }
    }

    /// Sends the outbox and releases undecided runs, for at most `timeout`.
    pub(crate) async fn finish(&mut self, timeout: Duration) -> anyhow::Result<()> {
        let open = self.state.queue.open();
        if !open.is_empty() {
            self.release(open);
        }
        self.retry_at = None;
        self.send_next();
        let end = tokio::time::Instant::now() + timeout;
        while let Ok(Some(result)) = tokio::time::timeout_at(end, self.calls.next()).await {
            match result {
                CallResult::Sent(entry, outcome) => {
                    self.handle_sent(entry, outcome)?;
                    if self.retry_at.is_some() {
                        break;
                    }
                }
                // Too late to be shown.
                CallResult::Fetched(Ok(queue)) if !queue.items.is_empty() => {
                    self.release(queue.items.iter().map(|trace| trace.trace_id).collect());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The folder of the outbox.
pub(crate) fn folder(state: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let state = state.or_else(|| {
        crate::environment::folder("XDG_STATE_HOME", ".local/state").map(|state| state.join("reflect"))
    });
    let Some(state) = state else {
        anyhow::bail!("there is no home folder; set --state-folder to a folder for unsent verdicts");
    };
    Ok(state.join("review"))
}

const fn order_name(order: QueueOrder) -> &'static str {
    match order {
        QueueOrder::Informative => "most informative first",
        QueueOrder::Newest => "newest first",
        QueueOrder::Oldest => "oldest first",
        QueueOrder::Errors => "most errors first",
        QueueOrder::Random => "random order",
    }
}
