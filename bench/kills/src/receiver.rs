//! A receiver of webhooks: it accepts every request, and remembers which events arrived.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use uuid::Uuid;

const ANSWER: &[u8] = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
/// Events are far smaller.
const LONGEST: usize = 1 << 20;

type Events = Arc<Mutex<HashSet<Uuid>>>;

/// The receiver. It ends when it is dropped.
pub(crate) struct Receiver {
    /// Where it listens.
    pub(crate) url: String,
    events: Events,
    _task: JoinSet<()>,
}

impl Receiver {
    pub(crate) async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/events", listener.local_addr()?);
        let (events, mut task) = (Events::default(), JoinSet::new());
        task.spawn(accept(listener, events.clone()));
        Ok(Self { url, events, _task: task })
    }

    /// Whether an event has arrived.
    pub(crate) fn has(&self, event: Uuid) -> bool {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).contains(&event)
    }
}

async fn accept(listener: TcpListener, events: Events) {
    let mut requests = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while requests.try_join_next().is_some() {}
        requests.spawn(answer(stream, events.clone()));
    }
}

/// Answers one request. A request that was cut brings no event.
async fn answer(mut stream: TcpStream, events: Events) {
    let mut request = Vec::new();
    loop {
        if let Some(event) = event_of(&request) {
            events.lock().unwrap_or_else(PoisonError::into_inner).insert(event);
            // A sender that was killed does not read it.
            let _ = stream.write_all(ANSWER).await;
            return;
        }
        match stream.read_buf(&mut request).await {
            Ok(read) if read > 0 && request.len() < LONGEST => {}
            _ => return,
        }
    }
}

/// The id of the event, if the request has arrived whole.
fn event_of(request: &[u8]) -> Option<Uuid> {
    let end = request.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let length: usize = header("content-length")?.trim().parse().ok()?;
    if request.len() < end + 4 + length {
        return None;
    }
    header("webhook-id")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_request_brings_its_event() {
        let id = Uuid::now_v7();
        let request = format!("POST /events HTTP/1.1\r\nContent-Length: 2\r\nWebhook-Id: {id}\r\n\r\n{{}}")
            .into_bytes();

        assert_eq!(event_of(&request), Some(id));
        assert_eq!(event_of(&request[..request.len() - 1]), None);
        assert_eq!(event_of(b"GET / HTTP/1.1\r\n\r\n"), None);
    }
}
