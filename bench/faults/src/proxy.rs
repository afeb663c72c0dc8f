//! A TCP proxy that can delay, stall, cut, reset and half-close the connections which it forwards, and refuse new ones.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{broadcast, watch};
use tokio::task::JoinSet;

/// More than enough actions that a connection has not seen yet.
const ACTIONS: usize = 64;
const BUFFER: usize = 16 * 1024;

/// What happens to all data, and to new connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Forwards everything.
    Pass,
    /// Forwards everything later.
    Delay(Duration),
    /// Keeps everything until the mode changes.
    Stall,
    /// Resets new connections, and forwards the data of others.
    Refuse,
}

/// What happens once to all open connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Closes both sides.
    Cut,
    /// The same with a reset, so that neither side can read what arrived before.
    Reset,
    /// Tells the client that no more data comes, and goes on to read from it.
    HalfClose,
    /// Never forwards anything again, without a word to either side.
    Abandon,
}

/// A running proxy. It ends when it is dropped.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    mode: watch::Sender<Mode>,
    actions: broadcast::Sender<Action>,
    hit: Arc<AtomicU64>,
    _task: JoinSet<()>,
}

impl Proxy {
    /// Forwards connections to this address.
    pub(crate) async fn start(target: String) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, (mode, _)) = (listener.local_addr()?, watch::channel(Mode::Pass));
        let (actions, _) = broadcast::channel(ACTIONS);
        let (hit, mut task) = (Arc::<AtomicU64>::default(), JoinSet::new());
        let route = Route { target, mode: mode.subscribe(), actions: actions.clone(), hit: hit.clone() };
        task.spawn(accept(listener, route));
        Ok(Self { address, mode, actions, hit, _task: task })
    }

    pub(crate) fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }

    /// Applies the action to all open connections.
    pub(crate) fn act(&self, action: Action) {
        // There may be no connection.
        let _ = self.actions.send(action);
    }

    /// How many connections were cut, reset, half-closed, abandoned or refused.
    pub(crate) fn hit(&self) -> u64 {
        self.hit.load(Ordering::Relaxed)
    }
}

/// What all connections of a proxy share.
#[derive(Clone)]
struct Route {
    target: String,
    mode: watch::Receiver<Mode>,
    actions: broadcast::Sender<Action>,
    hit: Arc<AtomicU64>,
}

async fn accept(listener: TcpListener, route: Route) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        if *route.mode.borrow() == Mode::Refuse {
            route.hit.fetch_add(1, Ordering::Relaxed);
            reset(client);
            continue;
        }
        connections.spawn(forward(client, route.clone()));
    }
}

/// Forwards one connection until it ends or an action ends it.
async fn forward(mut client: TcpStream, route: Route) {
    let mut actions = route.actions.subscribe();
    let Ok(mut target) = TcpStream::connect(&route.target).await else { return };
    let _ = (client.set_nodelay(true), target.set_nodelay(true));
    let action = {
        let ((mut from_client, mut to_client), (mut from_target, mut to_target)) =
            (client.split(), target.split());
        let both = async {
            tokio::join!(
                pump(&mut from_client, &mut to_target, route.mode.clone()),
                pump(&mut from_target, &mut to_client, route.mode.clone()),
            )
        };
        tokio::select! {
            _ = both => return,
            action = actions.recv() => action,
        }
    };
    // The sender lives as long as the proxy.
    let Ok(action) = action else { return };
    route.hit.fetch_add(1, Ordering::Relaxed);
    match action {
        Action::Cut => {}
        Action::Reset => {
            reset(client);
            reset(target);
        }
        Action::HalfClose => {
            let _ = client.shutdown().await;
            let (mut from_client, mut to_target) = (client.split().0, target.split().1);
            pump(&mut from_client, &mut to_target, route.mode).await;
        }
        Action::Abandon => std::future::pending().await,
    }
}

/// Forwards one direction until its end.
async fn pump(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    mut mode: watch::Receiver<Mode>,
) {
    let mut buffer = vec![0; BUFFER];
    while let Ok(read) = from.read(&mut buffer).await {
        hold(&mut mode).await;
        if read == 0 || to.write_all(&buffer[..read]).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}

/// Waits as long as the mode says.
async fn hold(mode: &mut watch::Receiver<Mode>) {
    loop {
        let current = *mode.borrow_and_update();
        match current {
            Mode::Pass | Mode::Refuse => return,
            Mode::Delay(time) => return tokio::time::sleep(time).await,
            Mode::Stall => {
                if mode.changed().await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Closes a connection with a reset.
fn reset(stream: TcpStream) {
    // Without it the connection is closed in the usual way.
    let _ = SockRef::from(&stream).set_linger(Some(Duration::ZERO));
    drop(stream);
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    /// A connection through a proxy to a listener, both its ends.
    async fn connected() -> (Proxy, TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Proxy::start(listener.local_addr().unwrap().to_string()).await.unwrap();
        let mut client = TcpStream::connect(proxy.address).await.unwrap();
        let (mut server, _) = listener.accept().await.unwrap();
        client.write_all(b"ping").await.unwrap();
        let mut read = [0; 4];
        server.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"ping");
        (proxy, client, server)
    }

    #[tokio::test]
    async fn both_directions_are_forwarded_until_one_side_closes() {
        let (_proxy, mut client, mut server) = connected().await;

        server.write_all(b"pong").await.unwrap();
        server.shutdown().await.unwrap();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).await.unwrap();

        assert_eq!(answer, b"pong");
    }

    #[tokio::test]
    async fn a_reset_reaches_both_sides() {
        let (proxy, mut client, mut server) = connected().await;

        proxy.act(Action::Reset);

        for side in [&mut client, &mut server] {
            assert_eq!(side.read(&mut [0; 4]).await.unwrap_err().kind(), ErrorKind::ConnectionReset);
        }
        assert_eq!(proxy.hit(), 1);
    }

    #[tokio::test]
    async fn after_a_half_close_the_client_can_still_send() {
        let (proxy, mut client, mut server) = connected().await;

        proxy.act(Action::HalfClose);
        assert_eq!(client.read(&mut [0; 4]).await.unwrap(), 0);
        client.write_all(b"more").await.unwrap();
        let mut read = [0; 4];
        server.read_exact(&mut read).await.unwrap();

        assert_eq!(&read, b"more");
    }

    #[tokio::test]
    async fn stalled_data_arrives_later() {
        let (proxy, mut client, mut server) = connected().await;

        proxy.set(Mode::Stall);
        client.write_all(b"late").await.unwrap();
        let mut read = [0; 4];
        let early = tokio::time::timeout(Duration::from_millis(50), server.read_exact(&mut read)).await;
        assert!(early.is_err());
        proxy.set(Mode::Pass);
        server.read_exact(&mut read).await.unwrap();

        assert_eq!(&read, b"late");
    }

    #[tokio::test]
    async fn a_refused_client_is_reset() {
        let (proxy, _client, _server) = connected().await;

        proxy.set(Mode::Refuse);
        let mut refused = TcpStream::connect(proxy.address).await.unwrap();

        assert!(refused.read(&mut [0; 4]).await.is_err());
    }
}
