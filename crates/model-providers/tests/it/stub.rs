//! A server for one call. It stores the request and sends a fixed response.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// The received request.
#[derive(Debug)]
pub(crate) struct Asked {
    /// Method and path.
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

/// Waits for one call.
pub(crate) struct Stub {
    pub(crate) url: String,
    call: JoinSet<Asked>,
}

impl Stub {
    /// Answers one call with this JSON.
    pub(crate) async fn answering(body: Value) -> Self {
        let body = body.to_string();
        let length = body.len();
        Self::sending(format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        ))
        .await
    }

    /// Answers one call with these bytes and closes the connection.
    pub(crate) async fn sending(answer: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut call = JoinSet::new();
        call.spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = BufReader::new(stream);
            let asked = read(&mut stream).await;
            stream.write_all(answer.as_bytes()).await.unwrap();
            asked
        });
        Self { url, call }
    }

    /// The request of the call.
    pub(crate) async fn asked(mut self) -> Asked {
        self.call.join_next().await.unwrap().unwrap()
    }
}

async fn read(stream: &mut BufReader<tokio::net::TcpStream>) -> Asked {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let line = lines.remove(0).trim_end_matches(" HTTP/1.1").to_owned();
    let headers: BTreeMap<_, _> = lines
        .iter()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    // A request without a body has no length.
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    let body = if length == 0 { Value::Null } else { serde_json::from_slice(&body).unwrap() };
    Asked { line, headers, body }
}
