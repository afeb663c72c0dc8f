//! A connection whose client must send the headers of a request in time. Between two requests it may be silent for longer,
//! because proxies keep connections for the next request.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Counts the starts and the ends of handlers of one connection: the count is odd while a request is handled.
#[derive(Debug, Clone, Default)]
pub(crate) struct Requests(Arc<AtomicU64>);

impl Requests {
    /// A request has complete headers. It is handled until the result is dropped.
    pub(crate) fn start(&self) -> Handling {
        self.0.fetch_add(1, Ordering::AcqRel);
        Handling(self.clone())
    }

    fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

/// A request that is being handled.
#[derive(Debug)]
pub(crate) struct Handling(Requests);

impl Drop for Handling {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::AcqRel);
    }
}

/// A stream that fails if headers are incomplete some time after their first byte. The first ones have this time from the
/// start of the connection.
#[derive(Debug)]
pub(crate) struct HeadTimer<S> {
    stream: S,
    limit: Duration,
    requests: Requests,
    /// What `requests` was when headers began, and the end of their time.
    head: Option<(u64, Pin<Box<Sleep>>)>,
}

impl<S> HeadTimer<S> {
    pub(crate) fn new(stream: S, limit: Duration, requests: Requests) -> Self {
        let head = Some((requests.count(), Box::pin(sleep(limit))));
        Self { stream, limit, requests, head }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for HeadTimer<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let count = self.requests.count();
        self.head.take_if(|(began, _)| *began != count);
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.stream).poll_read(context, buffer);
        if result.is_ready() {
            let is_head = count.is_multiple_of(2) && buffer.filled().len() > before;
            if is_head && self.head.is_none() {
                self.head = Some((count, Box::pin(sleep(self.limit))));
            }
            return result;
        }
        match &mut self.head {
            Some((_, timer)) => timer.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into())),
            None => Poll::Pending,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for HeadTimer<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
