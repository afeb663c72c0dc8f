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
use tokio::time::{Instant, timeout_at};

use crate::app::App;
use crate::caller_use::CallerUse;
use crate::error::ApiError;
use crate::http::admission;
use crate::http::body_memory::BodyMemory;
use crate::http::route::{BodyLimit, MatchedRoute};

/// A client that sends more slowly is disconnected.
const BYTES_PER_SECOND: usize = 64 * 1024;

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
    let bytes = reading.collect(body).await?;
    drop(unguarded);
    let response = next.run(Request::from_parts(parts, Body::from(bytes))).await;
    drop(reading);
    Ok(response)
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
    async fn collect(&mut self, body: Body) -> Result<Bytes, ApiError> {
        let mut parts = body.into_data_stream();
        // Most bodies arrive in one part, which is not copied.
        let mut first = Bytes::new();
        let mut rest = BytesMut::new();
        loop {
            let received = first.len() + rest.len();
            let part =
                timeout_at(self.pace.deadline(received), parts.next()).await.map_err(|_| too_slow())?;
            let Some(part) = part.transpose().map_err(|_| broken())? else { break };
            if received + part.len() > self.most {
                return Err(too_large(self.most));
            }
            if let Some(memory) = &mut self.memory {
                memory.grow_to(received + part.len())?;
            }
            if received == 0 {
                first = part;
            } else {
                rest.extend_from_slice(&std::mem::take(&mut first));
                rest.extend_from_slice(&part);
            }
        }
        Ok(if rest.is_empty() { first } else { rest.freeze() })
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
        assert_eq!(reading(5).collect(body()).await.unwrap(), "abcde");
        assert_eq!(reading(4).collect(body()).await.unwrap_err().code, "payload_too_large");
        let endless = Body::from_stream(futures::stream::pending::<Result<Bytes, axum::Error>>());
        assert_eq!(reading(5).collect(endless).await.unwrap_err().code, "body_timeout");
    }
}
