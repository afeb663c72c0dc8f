//! The memory that bodies take: of requests while they are read and handled, of responses while they are sent.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::response::Response;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::app::App;
use crate::caller_use::{CallerUse, Limit, limited};
use crate::error::ApiError;

/// The connection buffers this much of a response, so smaller responses are not counted.
const PIECE: usize = 64 * 1024;

/// Memory that a body has reserved. Dropping it frees the memory.
#[derive(Debug)]
pub(crate) struct BodyMemory {
    shared: Arc<Semaphore>,
    own: Option<Arc<Semaphore>>,
    held: Vec<OwnedSemaphorePermit>,
    kilobytes: u32,
}

impl BodyMemory {
    /// Nothing yet. The caller may use its part of the memory of all bodies.
    pub(crate) fn new(app: &App, caller: Option<&CallerUse>) -> Self {
        let own = caller.and_then(CallerUse::kilobytes);
        Self { shared: app.buffered_kilobytes.clone(), own, held: Vec::new(), kilobytes: 0 }
    }

    /// Reserves memory for this many bytes in total.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> Result<(), ApiError> {
        let wanted = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        let more = wanted.saturating_sub(self.kilobytes);
        if more == 0 {
            return Ok(());
        }
        let own = match &self.own {
            Some(own) => {
                Some(own.clone().try_acquire_many_owned(more).map_err(|_| limited(Limit::Memory, 1))?)
            }
            None => None,
        };
        let shared = self.shared.clone().try_acquire_many_owned(more).map_err(|_| {
            metrics::counter!("reflect_http_requests_shed_total").increment(1);
            ApiError::overloaded("the bodies of all requests take too much memory; retry after 1 second")
        })?;
        self.kilobytes = wanted;
        if self.held.is_empty() {
            self.held = std::iter::once(shared).chain(own).collect();
        } else {
            for (held, more) in self.held.iter_mut().zip(std::iter::once(shared).chain(own)) {
                held.merge(more);
            }
        }
        Ok(())
    }
}

/// Sends a response in pieces, and keeps what it holds until the last piece is taken. A connection takes a piece when
/// the client has read the one before, so a client that reads slowly holds its own limits and no others.
pub(crate) fn hold_until_sent(
    response: Response,
    mut memory: BodyMemory,
    permit: Option<OwnedSemaphorePermit>,
) -> Result<Response, ApiError> {
    let bytes = response.body().size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok());
    if let Some(bytes) = bytes.filter(|bytes| *bytes > PIECE) {
        memory.grow_to(bytes)?;
    }
    Ok(response
        .map(|body| Body::new(HeldBody { body, rest: Bytes::new(), _memory: memory, _permit: permit })))
}

struct HeldBody {
    body: Body,
    /// What is left of the last frame.
    rest: Bytes,
    _memory: BodyMemory,
    _permit: Option<OwnedSemaphorePermit>,
}

impl HttpBody for HeldBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            match std::task::ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                other => return Poll::Ready(other),
            }
        }
        let length = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.body.size_hint(), self.rest.len() as u64);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;

    fn memory(kilobytes: usize) -> (Arc<Semaphore>, BodyMemory) {
        let shared = Arc::new(Semaphore::new(kilobytes));
        (shared.clone(), BodyMemory { shared, own: None, held: Vec::new(), kilobytes: 0 })
    }

    #[test]
    fn memory_is_reserved_as_it_is_needed_and_freed_at_the_end() {
        let (shared, mut memory) = memory(8);
        for (bytes, left) in [(1, 7), (1024, 7), (1025, 6), (8192, 0), (100, 0)] {
            memory.grow_to(bytes).unwrap();
            assert_eq!(shared.available_permits(), left, "{bytes}");
        }
        assert!(memory.grow_to(8193).is_err());
        drop(memory);
        assert_eq!(shared.available_permits(), 8);
    }

    #[tokio::test]
    async fn a_large_response_holds_its_memory_until_the_last_piece() {
        let (shared, memory) = memory(1024);
        let large = vec![7_u8; 3 * PIECE + 1];
        let response = hold_until_sent(Response::new(Body::from(large)), memory, None).unwrap();
        let mut body = response.into_body();
        assert_eq!(body.size_hint().exact(), Some(3 * PIECE as u64 + 1));
        let mut lengths = Vec::new();
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            lengths.push(frame.unwrap().into_data().unwrap().len());
            assert_eq!(shared.available_permits(), 1024 - 193);
        }
        assert_eq!(lengths, [PIECE, PIECE, PIECE, 1]);
        drop(body);
        assert_eq!(shared.available_permits(), 1024);
    }
}
