//! The socket: accepts connections, and drains them at shutdown.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

/// How long a client may take to send its headers.
const HEADER_TIME: Duration = Duration::from_secs(10);
/// Further connections wait in the kernel's queue.
const MOST_CONNECTIONS: usize = 8192;

/// Serves until `stop` is cancelled. Then open requests have at most `drain` to finish.
pub async fn serve(listener: TcpListener, service: Router, stop: CancellationToken, drain: Duration) {
    let graceful = GracefulShutdown::new();
    let connections = TaskTracker::new();
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = accept(&listener, &room) => accepted,
        };
        let Some((stream, permit)) = accepted else { continue };
        let connection = graceful.watch(connection(stream, service.clone()));
        connections.spawn(async move {
            // Fails if a client disconnects early, which needs no action.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    connections.close();
    if tokio::time::timeout(drain, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish in {} s and were cancelled", drain.as_secs());
    }
}

async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let permit = room.clone().acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => {
            // Responses are small, so waiting to fill a packet only delays them.
            let _ = stream.set_nodelay(true);
            Some((stream, permit))
        }
        Err(error) => {
            tracing::warn!(%error, "a connection could not be accepted");
            // Usually there are no file descriptors left: give open connections time to close.
            tokio::time::sleep(Duration::from_millis(100)).await;
            None
        }
    }
}

fn connection(
    stream: TcpStream,
    service: Router,
) -> http1::Connection<
    TokioIo<TcpStream>,
    impl hyper::service::Service<
        Request<Incoming>,
        Response = axum::response::Response,
        Error = Infallible,
        Future: Send,
    > + use<>,
> {
    let handler = hyper::service::service_fn(move |request: Request<Incoming>| {
        service.clone().oneshot(request.map(Body::new))
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .serve_connection(TokioIo::new(stream), handler)
}
