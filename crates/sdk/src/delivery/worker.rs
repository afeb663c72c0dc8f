//! The one task that sends: a batch at a time, until there is nothing left.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use reqwest::Method;

use super::outbox::Outbox;
use super::reading::read;
use super::state::Step;
use crate::wire::{Request, retry_after};

/// A batch is a megabyte at most; a server that needs longer than this is in trouble.
const TIMEOUT: Duration = Duration::from_secs(30);

pub(super) async fn work(outbox: Arc<Outbox>) {
    // A worker before this one may have ended with its runtime, in the middle of a batch.
    outbox.state().queue.give_back();
    loop {
        let step = outbox.state().next_step(Instant::now());
        match step {
            Step::End if outbox.may_end() => break,
            // A run came in just now.
            Step::End => {}
            // Whoever brings work or wants it done wakes us.
            Step::Wait(pause) => drop(tokio::time::timeout(pause, outbox.work.notified()).await),
            Step::Send { body, count } => send(&outbox, body, count).await,
        }
        outbox.news.notify_waiters();
    }
    outbox.news.notify_waiters();
}

async fn send(outbox: &Outbox, body: bytes::Bytes, count: usize) {
    let mut request = Request::new(Method::POST, outbox.path.clone());
    request.body = Some(body);
    let outcome = outbox.transport.send(&request, TIMEOUT).await;
    let mut state = outbox.state();
    match outcome {
        Ok(answer) => {
            let asked = retry_after(&answer.headers, SystemTime::now());
            state.answered(read(&answer, count), asked, Instant::now());
        }
        Err(problem) => state.unreachable(&problem.reason, Instant::now()),
    }
}
