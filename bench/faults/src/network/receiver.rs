//! A receiver of webhooks: it accepts every event, and remembers which arrived how often.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Router, serve};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use uuid::Uuid;

type Events = Arc<Mutex<HashMap<Uuid, usize>>>;

/// The receiver. It ends when it is dropped.
pub(crate) struct Receiver {
    /// Where it listens.
    pub(crate) address: String,
    arrived: Events,
    _task: JoinSet<()>,
}

impl Receiver {
    pub(crate) async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let (arrived, mut task) = (Events::default(), JoinSet::new());
        let router = Router::new().route("/events", post(receive)).with_state(arrived.clone());
        task.spawn(async move {
            // Ends with the task.
            let _ = serve(listener, router).await;
        });
        Ok(Self { address, arrived, _task: task })
    }

    /// Whether an event has arrived.
    pub(crate) fn has(&self, event: Uuid) -> bool {
        lock(&self.arrived).contains_key(&event)
    }

    /// How many events have arrived.
    pub(crate) fn events(&self) -> usize {
        lock(&self.arrived).len()
    }

    /// How many events have arrived more than once.
    pub(crate) fn repeats(&self) -> usize {
        lock(&self.arrived).values().filter(|times| **times > 1).count()
    }
}

fn lock(events: &Events) -> MutexGuard<'_, HashMap<Uuid, usize>> {
    events.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Called only after the whole request has arrived, because it takes the body.
async fn receive(State(events): State<Events>, headers: HeaderMap, _body: String) -> StatusCode {
    let event = headers.get("webhook-id").and_then(|id| id.to_str().ok()?.parse().ok());
    match event {
        Some(event) => {
            *lock(&events).entry(event).or_default() += 1;
            StatusCode::NO_CONTENT
        }
        None => StatusCode::BAD_REQUEST,
    }
}
