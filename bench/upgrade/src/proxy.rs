//! A proxy between a process and Postgres that shows every message to an observer, which may change it or hold it back.

use std::net::Ipv4Addr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::wire::{self, Message};

/// What happens to a message of the client.
#[derive(Debug)]
pub(crate) enum Decision {
    /// It is sent.
    Send(Message),
    /// It is sent, and nothing after it.
    SendLast(Message),
    /// Neither it nor anything after it is sent.
    Hold,
}

/// Sees the messages of all sessions.
pub(crate) trait Observer: Send + Sync + 'static {
    /// A session begins with this start message.
    fn begins(&self, session: usize, start: &[u8]);
    /// The client sends a message.
    fn sent(&self, session: usize, message: Message) -> impl Future<Output = Decision> + Send;
    /// The server sends a message.
    fn received(&self, session: usize, message: &Message);
}

/// The proxy. Its sessions end when it is dropped.
pub(crate) struct Proxy {
    /// Where it listens.
    pub(crate) port: u16,
    _tasks: JoinSet<()>,
}

impl Proxy {
    /// Starts a proxy to the server at this port of this machine.
    pub(crate) async fn start(server: u16, observer: Arc<impl Observer>) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, server, observer));
        Ok(Self { port, _tasks: tasks })
    }
}

async fn accept(listener: TcpListener, server: u16, observer: Arc<impl Observer>) {
    let mut sessions = JoinSet::new();
    let mut number = 0;
    while let Ok((client, _)) = listener.accept().await {
        while sessions.try_join_next().is_some() {}
        // A session that breaks is the matter of its client.
        let observer = Arc::clone(&observer);
        sessions.spawn(async move { drop(carry(client, server, number, observer).await) });
        number += 1;
    }
}

async fn carry(
    mut client: TcpStream,
    server: u16,
    session: usize,
    observer: Arc<impl Observer>,
) -> anyhow::Result<()> {
    client.set_nodelay(true)?;
    let start = wire::read_start(&mut client).await?;
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, server)).await?;
    server.set_nodelay(true)?;
    observer.begins(session, &start);
    server.write_all(&wire::with_length(&start)).await?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let mut ways = JoinSet::new();
    ways.spawn(requests(from_client, to_server, session, Arc::clone(&observer)));
    ways.spawn(responses(from_server, to_client, session, observer));
    while ways.join_next().await.is_some() {}
    Ok(())
}

/// Ends with the client. The server then sees the end of the connection too.
async fn requests(
    mut client: OwnedReadHalf,
    mut server: OwnedWriteHalf,
    session: usize,
    observer: Arc<impl Observer>,
) {
    while let Ok(Some(message)) = Message::read(&mut client).await {
        let (message, is_last) = match observer.sent(session, message).await {
            Decision::Send(message) => (Some(message), false),
            Decision::SendLast(message) => (Some(message), true),
            Decision::Hold => (None, true),
        };
        if let Some(message) = message
            && server.write_all(&message.bytes()).await.is_err()
        {
            return;
        }
        if is_last {
            let mut rest = [0; 4096];
            while client.read(&mut rest).await.is_ok_and(|length| length > 0) {}
            return;
        }
    }
}

async fn responses(
    mut server: OwnedReadHalf,
    mut client: OwnedWriteHalf,
    session: usize,
    observer: Arc<impl Observer>,
) {
    while let Ok(Some(message)) = Message::read(&mut server).await {
        observer.received(session, &message);
        if client.write_all(&message.bytes()).await.is_err() {
            return;
        }
    }
}
