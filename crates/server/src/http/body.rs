//! Reads request bodies into memory, after authentication and before a request takes a slot. A client that sends its
//! body slowly holds nothing that others need.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::Next;
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures::StreamExt as _;
use reflect_types::Defence;
use tokio::sync::SemaphorePermit;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout, timeout_at};

use crate::app::App;
use crate::caller_use::CallerUse;
use crate::error::ApiError;
use crate::http::admission;
use crate::http::body_memory::BodyMemory;
use crate::http::route::{BodyLimit, MatchedRoute, RouteAccess};

/// A client that sends more slowly is disconnected.
const BYTES_PER_SECOND: usize = 64 * 1024;
/// The size of the pieces in which a body is kept until it is complete.
const BLOCK: usize = 64 * 1024;
const JOINED_ELSEWHERE: usize = 256 * 1024;
/// After this many bytes other requests may run on the thread. Otherwise the body of a fast client would block them until
/// it is complete.
const READ_AT_ONCE: usize = 64 * 1024;
/// When an exporter whose body arrived too slowly tries again.
const RETRY_SECONDS: u16 = 5;
/// Smaller bodies take no turn.
const LARGE: usize = 1024 * 1024;

/// Reads the body within the limits of the route: bytes, memory and time.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let Some(MatchedRoute { route, .. }) = request.extensions().get().copied() else {
        return Ok(next.run(request).await);
    };
    if route.body_limit == BodyLimit::Empty {
        return Ok(next.run(request).await);
    }
    let most = route.body_limit.bytes(&app.settings.limits);
    // Decompression has removed the length of a compressed body.
    let length = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: usize| length > most) {
        return Err(too_large(most));
    }
    let caller = request.extensions().get::<Arc<CallerUse>>().cloned();
    let mut reading = Reading { most, pace: Pace::new(&app, caller.is_some()), memory: None };
    let mut unguarded = None;
    if caller.is_some() {
        reading.memory = Some(BodyMemory::new(&app, caller.as_deref()));
    } else if !Defence::UnauthenticatedBody.is_on() {
        unguarded = Some(admission::acquire(&app.requests)?);
        let mut memory = BodyMemory::new(&app, None);
        memory.grow_to(most)?;
        reading.memory = Some(memory);
    }
    let (parts, body) = request.into_parts();
    let received = reading.collect(body).await.map_err(|error| for_caller(error, route.access))?;
    drop(unguarded);
    let _turn = large_body_turn(&app, received.length).await?;
    let bytes = received.join().await;
    let response = next.run(Request::from_parts(parts, Body::from(bytes))).await;
    drop(reading);
    Ok(response)
}

/// Large bodies are parsed, redacted and compressed a few at a time. Together they would take all processors.
async fn large_body_turn(app: &App, bytes: usize) -> Result<Option<SemaphorePermit<'_>>, ApiError> {
    if bytes < LARGE {
        return Ok(None);
    }
    let turn = timeout(app.settings.limits.request_time, app.large_bodies.acquire()).await;
    turn.ok().and_then(Result::ok).map(Some).ok_or_else(|| {
        ApiError::overloaded("too many requests with large bodies are waiting; retry after 1 second")
    })
}

/// How long a body may take.
#[derive(Debug, Clone, Copy)]
struct Pace {
    start: Instant,
    time: Duration,
    most_time: Duration,
    per_byte: bool,
}

impl Pace {
    fn new(app: &App, authenticated: bool) -> Self {
        let limits = &app.settings.limits;
        let time = match Defence::UnauthenticatedBody.is_on() {
            true => limits.body_time,
            false => limits.request_time,
        };
        Self { start: Instant::now(), time, most_time: limits.request_time, per_byte: authenticated }
    }

    /// When the next part must be there.
    fn deadline(self, received: usize) -> Instant {
        let earned = if self.per_byte { received / BYTES_PER_SECOND } else { 0 };
        let time = self.time + Duration::from_secs(earned as u64);
        self.start + time.min(self.most_time.max(self.time))
    }
}

struct Reading {
    most: usize,
    pace: Pace,
    memory: Option<BodyMemory>,
}

impl Reading {
    async fn collect(&mut self, body: Body) -> Result<Received, ApiError> {
        let mut parts = body.into_data_stream();
        let mut received = Received::default();
        loop {
            let deadline = self.pace.deadline(received.length);
            let part = timeout_at(deadline, parts.next()).await.map_err(|_| too_slow())?;
            let Some(part) = part.transpose().map_err(|_| broken())? else { return Ok(received) };
            if received.length + part.len() > self.most {
                return Err(too_large(self.most));
            }
            if let Some(memory) = &mut self.memory {
                memory.grow_to(received.length + part.len())?;
            }
            let before = received.length;
            received.push(part);
            if received.length / READ_AT_ONCE > before / READ_AT_ONCE {
                yield_now().await;
            }
        }
    }
}

/// A body as it arrived. A buffer that grew with it would be copied again and again, and the last copy of a large body
/// takes so long that other requests of the thread wait.
#[derive(Debug, Default)]
struct Received {
    length: usize,
    /// Most bodies arrive in one part, which is not copied.
    first: Bytes,
    blocks: Vec<BytesMut>,
}

impl Received {
    fn push(&mut self, part: Bytes) {
        if self.length == 0 {
            self.first = part;
            self.length = self.first.len();
            return;
        }
        self.length += part.len();
        let first = std::mem::take(&mut self.first);
        self.append(&first);
        self.append(&part);
    }

    fn append(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.blocks.last().is_none_or(|block| block.len() == BLOCK) {
                self.blocks.push(BytesMut::with_capacity(BLOCK));
            }
            let Some(block) = self.blocks.last_mut() else { return };
            let (now, rest) = bytes.split_at(bytes.len().min(BLOCK - block.len()));
            block.extend_from_slice(now);
            bytes = rest;
        }
    }

    /// The whole body. A large one is put together on another thread.
    async fn join(mut self) -> Bytes {
        match self.blocks.len() {
            0 => self.first,
            1 => self.blocks.remove(0).freeze(),
            _ if self.length < JOINED_ELSEWHERE => self.blocks.concat().into(),
            _ => {
                let joined = tokio::task::spawn_blocking(move || Bytes::from(self.blocks.concat()));
                joined.await.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))
            }
        }
    }
}

fn too_large(most: usize) -> ApiError {
    let message = format!("the request body has more than {most} bytes; send less data per request");
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", message)
}

fn too_slow() -> ApiError {
    let message = "the request body arrived too slowly; send it at once, or send less data per request";
    ApiError::new(StatusCode::REQUEST_TIMEOUT, "body_timeout", message)
}

/// Exporters send a batch again after 503, and drop it after 408.
fn for_caller(mut error: ApiError, access: RouteAccess) -> ApiError {
    if matches!(access, RouteAccess::Exporter(_)) && error.status == StatusCode::REQUEST_TIMEOUT {
        error.status = StatusCode::SERVICE_UNAVAILABLE;
        return error.retry_after(RETRY_SECONDS);
    }
    error
}

fn broken() -> ApiError {
    ApiError::new(StatusCode::BAD_REQUEST, "invalid_body", "the request body is incomplete or not decodable")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(per_byte: bool) -> Pace {
        let (time, most_time) = (Duration::from_secs(5), Duration::from_secs(30));
        Pace { start: Instant::now(), time, most_time, per_byte }
    }

    #[test]
    fn a_caller_gets_time_for_what_it_has_sent() {
        let with_key = pace(true);
        let seconds = |received| with_key.deadline(received).duration_since(with_key.start).as_secs();
        assert_eq!([0, 64 * 1024, 1024 * 1024, 32 * 1024 * 1024].map(seconds), [5, 6, 21, 30]);
    }

    #[test]
    fn without_a_key_there_is_one_time_for_all() {
        let without = pace(false);
        assert_eq!(without.deadline(16 * 1024).duration_since(without.start), Duration::from_secs(5));
    }

    #[tokio::test(start_paused = true)]
    async fn parts_are_joined_and_counted() {
        let reading = |most| Reading { most, pace: pace(true), memory: None };
        let body = || Body::from_stream(futures::stream::iter(["ab", "cd", "e"].map(Ok::<_, axum::Error>)));
        assert_eq!(reading(5).collect(body()).await.unwrap().join().await, "abcde");
        assert_eq!(reading(4).collect(body()).await.unwrap_err().code, "payload_too_large");
        let parts = (0..100).map(|number| Ok::<_, axum::Error>(Bytes::from(vec![number; 10_000])));
        let large = Body::from_stream(futures::stream::iter(parts.collect::<Vec<_>>()));
        let joined = reading(1_000_000).collect(large).await.unwrap().join().await;
        assert!(joined.chunks(10_000).zip(0..100).all(|(part, number)| part == [number; 10_000]));
        assert_eq!(joined.len(), 1_000_000);
        let endless = Body::from_stream(futures::stream::pending::<Result<Bytes, axum::Error>>());
        assert_eq!(reading(5).collect(endless).await.unwrap_err().code, "body_timeout");
    }
    #[tokio::test]
    async fn other_requests_may_run_while_a_large_body_is_read() {
        let parts = (0..4).map(|_| Ok::<_, axum::Error>(Bytes::from(vec![0; READ_AT_ONCE])));
        let body = Body::from_stream(futures::stream::iter(parts));
        let mut reading = Reading { most: 4 * READ_AT_ONCE, pace: pace(true), memory: None };
        let mut polls = 0;
        let mut collected = std::pin::pin!(reading.collect(body));
        while futures::poll!(&mut collected).is_pending() {
            polls += 1;
        }
        assert_eq!(polls, 4, "all parts are ready, so only a pause ends a poll");
    }
}
