//! A connection that ends if its client reads too slowly. Otherwise such a client could hold a response in memory for as
//! long as it likes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use reflect_types::Defence;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// How long a connection may wait for its client in total, besides the time for what the client has read.
const GRACE: Duration = Duration::from_secs(10);
/// The client gets another second for this many bytes.
const BYTES_PER_SECOND: u64 = 32 * 1024;

/// A stream whose writes have limited time.
#[derive(Debug)]
pub(crate) struct PacedStream<S> {
    stream: S,
    /// Makes the end of the stream immediate. Otherwise the kernel would keep a connection and what its client has not
    /// read.
    discard: fn(&S),
    written: u64,
    /// How long writes had to wait, without the current wait.
    waited: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<S> PacedStream<S> {
    pub(crate) const fn new(stream: S, discard: fn(&S)) -> Self {
        Self { stream, discard, written: 0, waited: Duration::ZERO, waiting: None }
    }

    /// Notes the result of a write. A write that has waited for too long fails.
    fn paced(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(result) = result {
            if let Some((since, _)) = self.waiting.take() {
                self.waited += since.elapsed();
            }
            self.written += result.as_ref().map_or(0, |length| *length as u64);
            return Poll::Ready(result);
        }
        if !Defence::SlowReader.is_on() {
            return Poll::Pending;
        }
        let left = self.time_left();
        let (_, timer) = self.waiting.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Box::pin(sleep_until(now + left)))
        });
        match timer.as_mut().poll(context) {
            Poll::Ready(()) => {
                (self.discard)(&self.stream);
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            Poll::Pending => Poll::Pending,
        }
    }

    fn time_left(&self) -> Duration {
        (GRACE + Duration::from_secs(self.written / BYTES_PER_SECOND)).saturating_sub(self.waited)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PacedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PacedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.paced(context, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.paced(context, result)
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

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_nothing_is_disconnected() {
        let (near, _far) = tokio::io::duplex(1024);
        let start = Instant::now();
        let ended = PacedStream::new(near, |_| ()).write_all(&[0; 4096]).await.unwrap_err();
        assert_eq!(ended.kind(), io::ErrorKind::TimedOut);
        assert_eq!(start.elapsed().as_secs(), GRACE.as_secs());
    }

    /// Whether a client that reads this many bytes per second gets a megabyte.
    async fn gets_all(bytes_per_second: usize) -> bool {
        let (near, mut far) = tokio::io::duplex(1024);
        let reading = async {
            let mut buffer = vec![0; bytes_per_second / 10];
            let mut pace = tokio::time::interval(Duration::from_millis(100));
            while far.read_exact(&mut buffer).await.is_ok() {
                pace.tick().await;
            }
        };
        let writing = async move {
            let mut stream = PacedStream::new(near, |_| ());
            stream.write_all(&vec![0; 1024 * 1024]).await.is_ok()
        };
        tokio::join!(writing, reading).0
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_needs_a_least_speed() {
        assert!(gets_all(40_000).await);
        assert!(!gets_all(4_000).await);
    }
}
