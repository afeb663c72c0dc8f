//! The task that sends batches until the queue is empty.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use reqwest::Method;

use super::super::batch_response::parse;
use super::super::state::WorkerAction;
use super::Outbox;
use crate::wire::{Request, retry_after};

/// A batch has at most 1 MB. A server that needs longer than this does not work.
const TIMEOUT: Duration = Duration::from_secs(30);

pub(super) async fn run(outbox: Arc<Outbox>) {
    // An earlier worker may have stopped during a batch, because its runtime ended.
    outbox.state().queue.requeue();
    loop {
        let action = outbox.state().next_action(Instant::now());
        match action {
            WorkerAction::End if outbox.may_stop() => break,
            // A run was queued in the meantime.
            WorkerAction::End => {}
            // A new run or a flush wakes the worker.
            WorkerAction::Wait(pause) => drop(tokio::time::timeout(pause, outbox.work.notified()).await),
            WorkerAction::Send { body, count } => send(&outbox, body, count).await,
        }
        outbox.progress.notify_waiters();
    }
    outbox.progress.notify_waiters();
}

async fn send(outbox: &Outbox, body: bytes::Bytes, count: usize) {
    let mut request = Request::new(Method::POST, outbox.path.clone());
    request.body = Some(body);
    let outcome = outbox.transport.send(&request, TIMEOUT).await;
    let mut state = outbox.state();
    match outcome {
        Ok(answer) => {
            let retry_after = retry_after(&answer.headers, SystemTime::now());
            state.answered(parse(&answer, count), retry_after, Instant::now());
        }
        Err(problem) => state.unreachable(&problem.reason, Instant::now()),
    }
}
