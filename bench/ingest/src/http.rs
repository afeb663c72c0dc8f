//! A minimal HTTP/1.1 client. A load generator shares two cores with the server, so it must use little CPU time. It
//! supports only what this server sends.

use std::time::Duration;

use anyhow::{Context, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// One keep-alive connection.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// A response.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Status line and headers, in lower case.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a header. Its name is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

const PATIENCE: Duration = Duration::from_secs(10);

impl Connection {
    /// Connects.
    pub async fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(4096) })
    }

    /// A GET. `headers` are complete lines.
    pub async fn get(&mut self, path: &str, headers: &str) -> anyhow::Result<Answer> {
        self.without_body("GET", path, headers).await
    }

    /// A DELETE. `headers` are complete lines.
    pub async fn delete(&mut self, path: &str, headers: &str) -> anyhow::Result<Answer> {
        self.without_body("DELETE", path, headers).await
    }

    async fn without_body(&mut self, method: &str, path: &str, headers: &str) -> anyhow::Result<Answer> {
        self.send(format!("{method} {path} HTTP/1.1\r\nhost: reflect\r\n{headers}\r\n").as_bytes()).await
    }

    /// A POST of JSON. `headers` are complete lines.
    pub async fn post(&mut self, path: &str, headers: &str, body: &[u8]) -> anyhow::Result<Answer> {
        let mut request = format!(
            "POST {path} HTTP/1.1\r\nhost: reflect\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n{headers}\r\n",
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body);
        self.send(&request).await
    }

    async fn send(&mut self, request: &[u8]) -> anyhow::Result<Answer> {
        tokio::time::timeout(PATIENCE, self.exchange(request)).await.context("no answer in time")?
    }

    async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<Answer> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        loop {
            if let Some(end) = self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&self.buffer[..end]).to_ascii_lowercase();
                let status =
                    head.split(' ').nth(1).and_then(|text| text.parse().ok()).context("no status")?;
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                let length = length.and_then(|text| text.trim().parse().ok());
                // A response without a body names no length.
                let length: usize = length.or((status == 204).then_some(0)).context("no length")?;
                while self.buffer.len() < end + 4 + length {
                    self.read_more().await?;
                }
                let body = self.buffer[end + 4..end + 4 + length].to_vec();
                return Ok(Answer { status, head, body });
            }
            self.read_more().await?;
        }
    }

    async fn read_more(&mut self) -> anyhow::Result<()> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the server closed the connection");
        }
        Ok(())
    }
}
