//! A session at the desk with the server behind it: events in, effects out, until the reviewer leaves. What a key means
//! is decided by the desk; where keys come from is somebody else's business too.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use reflect_api::{ChangeLeases, HeldLeases, NextReviews, QueueOrder, QueuedTraces, RunFilter, TraceSteps};
use reflect_sdk::{Error, ReflectClient};
use reflect_types::TraceId;

use super::desk::{Desk, Effect, Event};
use super::draw::Facts;
use super::mail::{Entry, Mail, Sent};
use super::outbox::Outbox;
use super::post::{said, send};

const LEASE_SECONDS: u32 = 120;
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(15);
const MOST_SKIPPED: usize = 1000;

/// What is wanted of the queue.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wish {
    pub(crate) order: QueueOrder,
    pub(crate) filter: RunFilter,
    pub(crate) reviewer: Option<String>,
    pub(crate) blind: bool,
    pub(crate) colour: bool,
}

/// What one of the calls under way came to.
pub(crate) enum Done {
    Fetched(Result<QueuedTraces, Error>),
    Read(Result<TraceSteps, Error>),
    Renewed(Vec<TraceId>, Result<HeldLeases, Error>),
    Sent(Entry, Sent),
    Released,
}

/// The session.
pub(crate) struct Session {
    pub(crate) desk: Desk,
    pub(crate) outbox: Outbox,
    client: ReflectClient,
    wish: Wish,
    pub(crate) calls: FuturesUnordered<BoxFuture<'static, Done>>,
    began: Instant,
    /// The first question takes back what a killed session of ours still holds.
    is_first: bool,
    wait: Duration,
    /// When to send again after there was no answer.
    pub(crate) again_at: Option<Instant>,
    trouble: Option<String>,
}

impl Session {
    pub(crate) fn new(client: ReflectClient, outbox: Outbox, wish: Wish, limit: usize) -> Self {
        Self {
            desk: Desk::new(limit),
            outbox,
            client,
            wish,
            calls: FuturesUnordered::new(),
            began: Instant::now(),
            is_first: true,
            wait: FIRST_WAIT,
            again_at: None,
            trouble: None,
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// What the screen shows beside the desk.
    pub(crate) fn facts(&self) -> Facts {
        Facts {
            unsent: self.outbox.waiting().len(),
            trouble: self.trouble.clone(),
            elapsed: self.elapsed(),
            order: order(self.wish.order),
            blind: self.wish.blind,
            colour: self.wish.colour,
        }
    }

    /// The first runs, before anything is shown: what is wrong with the connection is better said on a plain terminal.
    pub(crate) async fn begin(&mut self) -> anyhow::Result<()> {
        self.post();
        self.desk.on(Event::Tick, self.elapsed());
        let answer = self.fetch(self.desk.limit.min(4)).await;
        let Done::Fetched(answer) = answer else { return Ok(()) };
        let queue = answer?;
        self.is_first = false;
        self.began = Instant::now();
        self.take(Event::Arrived(queue))?;
        Ok(())
    }

    /// Takes an event and does what follows from it. What only the terminal can do is given back.
    pub(crate) fn take(&mut self, event: Event) -> anyhow::Result<Vec<Effect>> {
        let effects = self.desk.on(event, self.elapsed());
        let mut left = Vec::new();
        for effect in effects {
            match effect {
                Effect::Fetch(count) => {
                    let call = self.fetch(count);
                    self.calls.push(call);
                }
                Effect::Send { trace, mail } => {
                    self.outbox.add(trace, mail)?;
                    self.post();
                }
                Effect::Undo { trace, review } => {
                    if !self.outbox.recall(trace)? {
                        self.outbox.add(trace, Mail::Withdraw { review })?;
                        self.post();
                    }
                }
                Effect::Release(traces) => self.release(traces),
                Effect::Read { trace, from } => {
                    let client = self.client.clone();
                    let read = async move { Done::Read(client.get_steps(trace, from, None).await) };
                    self.calls.push(Box::pin(read));
                }
                Effect::Edit(_) | Effect::Quit => left.push(effect),
            }
        }
        Ok(left)
    }

    /// Takes what a call came to.
    pub(crate) fn done(&mut self, done: Done) -> anyhow::Result<()> {
        let event = match done {
            Done::Fetched(Ok(queue)) => Event::Arrived(queue),
            Done::Fetched(Err(error)) => Event::NotFetched(said(&error)),
            Done::Read(Ok(steps)) => Event::Steps(steps),
            Done::Read(Err(error)) => Event::NotRead(said(&error)),
            Done::Renewed(asked, Ok(leases)) => {
                let held = |trace: &TraceId| leases.held.iter().any(|lease| lease.trace_id == *trace);
                Event::Lost(asked.into_iter().filter(|trace| !held(trace)).collect())
            }
            // Others may get them; a verdict on them is still taken.
            Done::Renewed(_, Err(_)) | Done::Released => return Ok(()),
            Done::Sent(entry, sent) => return self.sent(entry, sent),
        };
        self.take(event).map(|_| ())
    }

    fn sent(&mut self, entry: Entry, sent: Sent) -> anyhow::Result<()> {
        if let Sent::Later { why } = &sent {
            self.outbox.answered(entry.id, false)?;
            self.trouble = Some(why.clone());
            self.again_at = Some(Instant::now() + self.wait);
            self.wait = (self.wait * 2).min(LONGEST_WAIT);
            return Ok(());
        }
        self.outbox.answered(entry.id, true)?;
        (self.trouble, self.wait) = (None, FIRST_WAIT);
        if let (Mail::Review { .. }, Sent::Done { review: Some(review) }) = (&entry.mail, &sent) {
            self.outbox.learned_review(entry.trace, *review)?;
        }
        self.take(Event::Sent { trace: entry.trace, mail: entry.mail, sent })?;
        self.post();
        Ok(())
    }

    /// Sends the next one that waits, if none is under way.
    pub(crate) fn post(&mut self) {
        if self.again_at.is_some_and(|at| at > Instant::now()) {
            return;
        }
        self.again_at = None;
        let Some(entry) = self.outbox.next() else { return };
        let (client, reviewer) = (self.client.clone(), self.wish.reviewer.clone());
        let call = async move {
            let sent = send(&client, &entry, reviewer.as_deref(), None).await;
            Done::Sent(entry, sent)
        };
        self.calls.push(Box::pin(call));
    }

    fn fetch(&self, count: usize) -> BoxFuture<'static, Done> {
        let unsent = self.outbox.waiting().iter().map(|entry| entry.trace);
        let skip: Vec<String> =
            self.desk.known().into_iter().chain(unsent).map(|trace| trace.to_string()).collect();
        let newest = skip.len().saturating_sub(MOST_SKIPPED);
        let wish = NextReviews {
            count: u32::try_from(count).ok(),
            order: Some(self.wish.order),
            lease_seconds: Some(LEASE_SECONDS),
            skip: Some(skip[newest..].to_vec()),
            renew: self.is_first,
            reviewer: self.wish.reviewer.clone(),
            filter: Some(self.wish.filter.clone()),
        };
        let client = self.client.clone();
        Box::pin(async move { Done::Fetched(client.next_reviews(&wish).await) })
    }

    /// Holds what lies on the desk for another while.
    pub(crate) fn renew(&mut self) {
        let held = self.desk.open();
        if held.is_empty() {
            return;
        }
        let (client, wish) = (self.client.clone(), self.leases(&held, false));
        self.calls.push(Box::pin(async move { Done::Renewed(held, client.change_leases(&wish).await) }));
    }

    fn release(&mut self, traces: Vec<TraceId>) {
        let (client, wish) = (self.client.clone(), self.leases(&traces, true));
        self.calls.push(Box::pin(async move {
            // What is not given back comes back by itself.
            let _ = client.change_leases(&wish).await;
            Done::Released
        }));
    }

    fn leases(&self, traces: &[TraceId], release: bool) -> ChangeLeases {
        ChangeLeases {
            trace_ids: traces.iter().map(TraceId::to_string).collect(),
            lease_seconds: (!release).then_some(LEASE_SECONDS),
            release,
            reviewer: self.wish.reviewer.clone(),
        }
    }

    /// Sends what waits and gives back what was not decided, for so long and no longer.
    pub(crate) async fn finish(&mut self, patience: Duration) -> anyhow::Result<()> {
        let open = self.desk.open();
        if !open.is_empty() {
            self.release(open);
        }
        self.again_at = None;
        self.post();
        let end = tokio::time::Instant::now() + patience;
        while let Ok(Some(done)) = tokio::time::timeout_at(end, self.calls.next()).await {
            match done {
                Done::Sent(entry, sent) => {
                    self.sent(entry, sent)?;
                    if self.again_at.is_some() {
                        break;
                    }
                }
                // Came too late to be shown.
                Done::Fetched(Ok(queue)) if !queue.items.is_empty() => {
                    self.release(queue.items.iter().map(|trace| trace.trace_id).collect());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Where verdicts are kept until they are sent.
pub(crate) fn folder(state: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let found = state.or_else(|| {
        crate::environment::folder("XDG_STATE_HOME", ".local/state").map(|state| state.join("reflect"))
    });
    let found = found.map(|folder| folder.join("review"));
    found
        .ok_or_else(|| anyhow::anyhow!("there is no home folder; --state-folder says where to keep verdicts"))
}

/// An order in words.
const fn order(order: QueueOrder) -> &'static str {
    match order {
        QueueOrder::Informative => "most informative",
        QueueOrder::Newest => "newest",
        QueueOrder::Oldest => "oldest",
        QueueOrder::Errors => "errors",
        QueueOrder::Random => "any",
    }
}
