//! The socket: accepts connections, and drains them at shutdown.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use ipnet::IpNet;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use crate::head_timer::{HeadTimer, Requests};
use crate::paced_stream::PacedStream;
use crate::tls::Tls;

/// How long a client may take to send its headers, and to agree on TLS.
const HEADER_TIME: Duration = Duration::from_secs(10);
/// How long a connection may wait for its next request. Longer than the minute for which proxies keep connections: a
/// proxy that sends a request while the server closes the connection answers its client with 502.
const IDLE_TIME: Duration = Duration::from_secs(75);
/// The longest request line with its headers.
const HEADER_BYTES: usize = 64 * 1024;
/// The most bytes of a response that a connection holds.
const BUFFER_BYTES: usize = 128 * 1024;
/// The most bytes that the kernel holds for a client; it reserves twice as many. Without this it takes megabytes, and a
/// client that reads slowly could not be told from one that reads.
const SEND_BYTES: usize = 128 * 1024;
const MOST_CONNECTIONS: usize = 8192;
/// One address can have this part of all connections.
const ADDRESS_PART: usize = 4;

/// A socket and its rules.
#[derive(Debug)]
pub struct Listener {
    /// The socket.
    pub socket: TcpListener,
    /// The most open connections. Further ones wait in the kernel's queue.
    pub connections: usize,
    /// Proxies, which may have any number of the connections.
    pub trusted_proxies: Vec<IpNet>,
    /// The certificate; `None` for connections without TLS.
    pub tls: Option<Tls>,
}

impl From<TcpListener> for Listener {
    fn from(socket: TcpListener) -> Self {
        Self { socket, connections: MOST_CONNECTIONS, trusted_proxies: Vec::new(), tls: None }
    }
}

/// Serves until `stop` is cancelled. Then open requests have at most `drain` to finish.
pub async fn serve(listener: impl Into<Listener>, service: Router, stop: CancellationToken, drain: Duration) {
    let listener = listener.into();
    let graceful = GracefulShutdown::new();
    let connections = TaskTracker::new();
    let room = Arc::new(Semaphore::new(listener.connections));
    let addresses = Addresses::default();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = accept(&listener.socket, &room) => accepted,
        };
        let Some((stream, peer, permit)) = accepted else { continue };
        let is_proxy = listener.trusted_proxies.iter().any(|range| range.contains(&peer.ip().to_canonical()));
        let most = if is_proxy { usize::MAX } else { listener.connections.div_ceil(ADDRESS_PART) };
        // A connection beyond the limit is closed at once.
        let Some(place) = addresses.enter(peer.ip().to_canonical(), most) else { continue };
        let (tls, service, watcher) = (listener.tls.clone(), service.clone(), graceful.watcher());
        connections.spawn(async move {
            handle_connection(stream, peer, tls, service, watcher).await;
            drop((permit, place));
        });
    }
    drop(listener);
    connections.close();
    if tokio::time::timeout(drain, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish in {} s and were cancelled", drain.as_secs());
    }
}

async fn accept(
    socket: &TcpListener,
    room: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let permit = room.clone().acquire_owned().await.ok()?;
    match socket.accept().await {
        Ok((stream, peer)) => {
            // Responses are small, so waiting to fill a packet only delays them.
            let _ = stream.set_nodelay(true);
            let _ = SockRef::from(&stream).set_send_buffer_size(SEND_BYTES);
            Some((stream, peer, permit))
        }
        Err(error) => {
            tracing::warn!(%error, "a connection could not be accepted");
            // Usually there are no file descriptors left: give open connections time to close.
            tokio::time::sleep(Duration::from_millis(100)).await;
            None
        }
    }
}

/// Serves one connection. Errors need no action: a client disconnected early, or did not agree on TLS.
async fn handle_connection(
    stream: TcpStream,
    peer: SocketAddr,
    tls: Option<Tls>,
    service: Router,
    watcher: Watcher,
) {
    let stream = PacedStream::new(stream, reset_at_end);
    match tls {
        None => serve_connection(stream, peer, service, watcher).await,
        Some(tls) => {
            let agreed = tokio::time::timeout(HEADER_TIME, tls.acceptor().accept(stream)).await;
            if let Ok(Ok(stream)) = agreed {
                serve_connection(stream, peer, service, watcher).await;
            }
        }
    }
}

/// Makes closing the connection discard what the client has not read.
fn reset_at_end(stream: &TcpStream) {
    let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
}

async fn serve_connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    service: Router,
    watcher: Watcher,
) {
    let requests = Requests::default();
    let stream = HeadTimer::new(stream, HEADER_TIME, requests.clone());
    let handler = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let (service, handling) = (service.clone(), requests.start());
        async move {
            // Requests that were sent at once must not delay other connections.
            tokio::task::yield_now().await;
            let response = service.oneshot(request.map(Body::new)).await;
            drop(handling);
            response
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE_TIME)
        .max_header_size(HEADER_BYTES)
        .max_buf_size(BUFFER_BYTES)
        .serve_connection(TokioIo::new(stream), handler);
    let _ = watcher.watch(connection).await;
}

/// The number of open connections of each address.
#[derive(Debug, Clone, Default)]
struct Addresses(Arc<Mutex<HashMap<IpAddr, usize>>>);

impl Addresses {
    /// `None` if the address has this many connections already.
    fn enter(&self, address: IpAddr, most: usize) -> Option<Place> {
        let mut open = self.lock();
        let count = open.entry(address).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Place { addresses: self.clone(), address })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One open connection of an address.
struct Place {
    addresses: Addresses,
    address: IpAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.addresses.lock();
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use axum::routing::any;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

    const HEADERS: &[u8] = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n";

    /// A connection to a service that returns the body.
    fn connect() -> DuplexStream {
        let (near, far) = tokio::io::duplex(4096);
        let service = Router::new().route("/", any(|body: String| async move { body }));
        let peer = SocketAddr::from(([127, 0, 0, 1], 1));
        TaskTracker::new().spawn(async move {
            serve_connection(near, peer, service, GracefulShutdown::new().watcher()).await;
        });
        far
    }

    /// Reads a response that ends with `body`.
    async fn read_response(client: &mut DuplexStream, body: &[u8]) {
        let mut seen = Vec::new();
        while !seen.ends_with(body) {
            assert_ne!(client.read_buf(&mut seen).await.unwrap(), 0, "{}", String::from_utf8_lossy(&seen));
        }
    }

    /// Lets time pass second by second, so that the server notices each limit when it ends.
    async fn pass(time: Duration) {
        for _ in 0..time.as_secs() {
            tokio::time::advance(Duration::from_secs(1)).await;
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_may_be_silent_for_a_minute_between_requests_and_within_a_body() {
        let mut client = connect();
        for body in [b"ab", b"cd", b"ef"] {
            client.write_all(HEADERS).await.unwrap();
            pass(HEADER_TIME + Duration::from_secs(1)).await;
            client.write_all(body).await.unwrap();
            read_response(&mut client, body).await;
            pass(Duration::from_secs(60)).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn headers_have_ten_seconds_on_a_new_and_on_a_used_connection() {
        for requests in 0..3 {
            let mut client = connect();
            for _ in 0..requests {
                client.write_all(HEADERS).await.unwrap();
                client.write_all(b"ab").await.unwrap();
                read_response(&mut client, b"ab").await;
            }
            let start = tokio::time::Instant::now();
            let mut bytes = HEADERS.iter();
            for byte in bytes.by_ref() {
                if client.write_all(&[*byte]).await.is_err() {
                    break;
                }
                pass(Duration::from_secs(1)).await;
            }
            assert!(bytes.len() > 0, "slow headers were accepted after {requests} requests");
            assert!(start.elapsed() < HEADER_TIME + Duration::from_secs(3));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_unused_connection_is_closed() {
        let mut client = connect();
        let start = tokio::time::Instant::now();
        assert_eq!(client.read(&mut [0; 1]).await.unwrap(), 0);
        assert_eq!(start.elapsed().as_secs(), HEADER_TIME.as_secs());
        let mut client = connect();
        client.write_all(HEADERS).await.unwrap();
        client.write_all(b"ab").await.unwrap();
        read_response(&mut client, b"ab").await;
        let start = tokio::time::Instant::now();
        assert_eq!(client.read(&mut [0; 1]).await.unwrap(), 0);
        assert_eq!(start.elapsed().as_secs(), IDLE_TIME.as_secs());
    }

    #[test]
    fn one_address_cannot_take_all_connections() {
        let (addresses, one) = (Addresses::default(), IpAddr::from([127, 0, 0, 1]));
        let held: Vec<Place> = (0..2).filter_map(|_| addresses.enter(one, 2)).collect();
        assert_eq!(held.len(), 2);
        assert!(addresses.enter(one, 2).is_none());
        assert!(addresses.enter(IpAddr::from([127, 0, 0, 2]), 2).is_some());
        drop(held);
        assert!(addresses.enter(one, 2).is_some());
        assert!(addresses.lock().is_empty());
    }
}
