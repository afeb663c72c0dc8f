//! A proxy in front of the application that loses, delays and invents answers on demand, and can be killed.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::{HeaderMap, Request};
use reflect_test_support::TestApp;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// What becomes of the next request instead of being answered.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// The application never hears of it; this is the answer.
    Answer(u16, Vec<(&'static str, &'static str)>, &'static str),
    /// The application never hears of it, and the connection breaks.
    Cut,
    /// The application does it, and the answer is lost.
    Lost,
    /// There is no answer, ever.
    Hang,
}

impl Fault {
    pub(crate) fn status(status: u16) -> Self {
        Self::Answer(status, Vec::new(), "")
    }
}

/// A request that came by.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

#[derive(Default)]
struct Record {
    faults: VecDeque<Fault>,
    seen: Vec<Seen>,
}

pub(crate) struct Proxy {
    app: Arc<TestApp>,
    address: SocketAddr,
    record: Arc<Mutex<Record>>,
    serving: JoinSet<()>,
}

impl Proxy {
    pub(crate) async fn start(app: Arc<TestApp>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut proxy = Self { app, address, record: Arc::default(), serving: JoinSet::new() };
        proxy.serve(listener);
        proxy
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// These happen to the next requests, one each.
    pub(crate) fn faults(&self, faults: impl IntoIterator<Item = Fault>) {
        self.record.lock().unwrap().faults.extend(faults);
    }

    /// The requests so far whose path contains this.
    pub(crate) fn seen(&self, path: &str) -> Vec<Seen> {
        let record = self.record.lock().unwrap();
        record.seen.iter().filter(|seen| seen.path.contains(path)).cloned().collect()
    }

    /// How many such requests came by, for whoever has no proxy at hand.
    pub(crate) fn counter(&self, path: &'static str) -> impl Fn() -> usize + Send + use<> {
        let record = self.record.clone();
        move || record.lock().unwrap().seen.iter().filter(|seen| seen.path.contains(path)).count()
    }

    /// Nobody listens any more, and connections under way break.
    pub(crate) async fn kill(&mut self) {
        self.serving.shutdown().await;
    }

    /// Somebody listens again, at the same address.
    pub(crate) async fn revive(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.serve(listener);
    }

    fn serve(&mut self, listener: TcpListener) {
        let (app, record) = (self.app.clone(), self.record.clone());
        self.serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(answer(stream, app.clone(), record.clone()));
            }
        });
    }
}

/// Answers one request; the connection ends with it.
async fn answer(stream: TcpStream, app: Arc<TestApp>, record: Arc<Mutex<Record>>) {
    let mut stream = BufReader::new(stream);
    let Some(seen) = read(&mut stream).await else { return };
    let fault = {
        let mut record = record.lock().unwrap();
        record.seen.push(seen.clone());
        record.faults.pop_front()
    };
    let reply = match fault {
        Some(Fault::Cut) => return,
        Some(Fault::Hang) => std::future::pending().await,
        Some(Fault::Answer(status, headers, body)) => {
            let headers = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            reply(status, headers, body.as_bytes())
        }
        Some(Fault::Lost) => {
            forward(&app, seen).await;
            return;
        }
        None => forward(&app, seen).await,
    };
    let _ = stream.write_all(&reply).await;
    let _ = stream.shutdown().await;
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Seen> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_owned());
    }
    let mut words = head.first()?.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let headers: HeaderMap = head[1..]
        .iter()
        .filter_map(|line| line.split_once(':'))
        .filter_map(|(name, value)| {
            Some((name.parse::<axum::http::HeaderName>().ok()?, value.trim().parse().ok()?))
        })
        .collect();
    let length = headers.get("content-length").map_or(0, |value| value.to_str().unwrap().parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Seen { method, path, headers, body })
}

async fn forward(app: &TestApp, seen: Seen) -> Vec<u8> {
    let mut request = Request::builder().method(seen.method.as_str()).uri(seen.path);
    *request.headers_mut().unwrap() = seen.headers;
    let answer = app.call(request.body(Body::from(seen.body)).unwrap()).await;
    let passed = answer
        .headers
        .iter()
        .filter(|(name, _)| !["content-length", "transfer-encoding", "connection"].contains(&name.as_str()));
    let headers = passed.map(|(name, value)| format!("{name}: {}\r\n", value.to_str().unwrap())).collect();
    reply(answer.status.as_u16(), headers, &answer.bytes)
}

fn reply(status: u16, headers: String, body: &[u8]) -> Vec<u8> {
    let length = if status == 204 { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    let mut reply =
        format!("HTTP/1.1 {status} It\r\nconnection: close\r\n{length}{headers}\r\n").into_bytes();
    reply.extend_from_slice(body);
    reply
}
