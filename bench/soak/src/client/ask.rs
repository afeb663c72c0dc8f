//! One call, retried with the same idempotency key until it gets a response. If a server does not respond, the next one
//! is tried.

use std::sync::atomic::Ordering;
use std::time::Duration;

use rand::RngExt;
use reflect_bench_ingest::http::{Answer, Connection};
use serde_json::Value;
use tokio::time::Instant;
use uuid::Uuid;

use super::Client;

/// The timeout of a call including its retries.
const LONGEST: Duration = Duration::from_secs(20);
/// The response to a review waits for its lesson, which may take until a dead job is rescued. The review itself is
/// stored at once, so a retry is as good as waiting.
const REVIEW_PATIENCE: Duration = Duration::from_secs(3);
const PATIENCE: Duration = Duration::from_secs(8);
const MOST_TIMEOUTS: u32 = 2;

/// A call.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tenant: usize,
    pub(crate) path: String,
    /// `None` for a DELETE.
    pub(crate) body: Option<Value>,
    pub(crate) key: String,
}

impl Call {
    /// A POST with a new idempotency key. `path` is relative to the project.
    pub(crate) fn post(tenant: usize, path: &str, body: Value) -> Self {
        Self { tenant, path: path.to_owned(), body: Some(body), key: Uuid::now_v7().to_string() }
    }

    pub(crate) fn delete(tenant: usize, path: &str) -> Self {
        Self { tenant, path: path.to_owned(), body: None, key: Uuid::now_v7().to_string() }
    }
}

/// The result of a call.
#[derive(Debug)]
pub(crate) struct Reply {
    /// `None` if the call timed out.
    pub(crate) answer: Option<(u16, Value)>,
    /// A call that timed out may still take effect, even after later calls.
    pub(crate) may_come_late: bool,
}

impl Reply {
    /// The body of a successful response.
    pub(crate) fn success(&self) -> Option<&Value> {
        self.answer.as_ref().filter(|(status, _)| (200..300).contains(status)).map(|(_, body)| body)
    }
}

impl Client {
    pub(crate) async fn ask(&mut self, call: &Call) -> Reply {
        let end = Instant::now() + LONGEST;
        let patience = if call.path.ends_with("/review") { REVIEW_PATIENCE } else { PATIENCE };
        let mut timeouts = 0;
        loop {
            match tokio::time::timeout(patience, self.attempt(call)).await {
                Ok(Ok(answer)) => {
                    *self.log.statuses.entry(answer.status).or_default() += 1;
                    if answer.status < 500 && answer.status != 429 {
                        let body = serde_json::from_slice(&answer.body).unwrap_or_default();
                        return Reply { answer: Some((answer.status, body)), may_come_late: timeouts > 0 };
                    }
                }
                Ok(Err(_)) => {}
                Err(_) => timeouts += 1,
            }
            self.server += 1;
            let stopping = self.surroundings.stop.load(Ordering::Relaxed);
            if Instant::now() > end || timeouts >= MOST_TIMEOUTS || (stopping && timeouts > 0) {
                return Reply { answer: None, may_come_late: timeouts > 0 };
            }
            let pause = self.random.random_range(10..100);
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
    }

    /// Sends once. The connection is kept only after a response.
    async fn attempt(&mut self, call: &Call) -> anyhow::Result<Answer> {
        let server = self.server % self.surroundings.servers.len();
        let mut connection = match self.connection.take() {
            Some((of, connection)) if of == server => connection,
            _ => Connection::open(&self.surroundings.servers[server]).await?,
        };
        let tenant = &self.surroundings.tenants[call.tenant];
        let path = format!("/v1/projects/{}/{}", tenant.slug, call.path);
        let headers = format!("authorization: Bearer {}\r\nidempotency-key: {}\r\n", tenant.key, call.key);
        let answer = match &call.body {
            Some(body) => connection.post(&path, &headers, body.to_string().as_bytes()).await?,
            None => connection.delete(&path, &headers).await?,
        };
        self.connection = Some((server, connection));
        Ok(answer)
    }
}
