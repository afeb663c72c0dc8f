//! A client of the API that sends one request after the other.

use std::time::Instant;

use anyhow::{Context, ensure};
use reflect_bench_ingest::http::{Answer, Connection};
use serde_json::{Value, json};
use uuid::Uuid;

/// One connection with a key. After a request without an answer it connects again.
#[derive(Debug)]
pub(crate) struct Client {
    connection: Connection,
    address: String,
    headers: String,
}

impl Client {
    /// Connects.
    pub(crate) async fn open(address: &str, key: &str) -> anyhow::Result<Self> {
        let headers = format!("authorization: Bearer {key}\r\n");
        Ok(Self { connection: Connection::open(address).await?, address: address.to_owned(), headers })
    }

    /// A POST. Every status is an answer.
    pub(crate) async fn post(&mut self, path: &str, body: &Value) -> anyhow::Result<Answer> {
        let answer = self.connection.post(path, &self.headers, body.to_string().as_bytes()).await;
        self.checked(answer).await
    }

    /// A GET. Every status is an answer.
    pub(crate) async fn get(&mut self, path: &str) -> anyhow::Result<Answer> {
        let answer = self.connection.get(path, &self.headers).await;
        self.checked(answer).await
    }

    /// A DELETE. Every status is an answer.
    pub(crate) async fn delete(&mut self, path: &str) -> anyhow::Result<Answer> {
        let answer = self.connection.delete(path, &self.headers).await;
        self.checked(answer).await
    }

    /// Connects again if the connection cannot be used any more.
    async fn checked(&mut self, answer: anyhow::Result<Answer>) -> anyhow::Result<Answer> {
        let is_open = answer.as_ref().is_ok_and(|answer| answer.header("connection") != Some("close"));
        if !is_open && let Ok(connection) = Connection::open(&self.address).await {
            self.connection = connection;
        }
        answer
    }

    /// Records a run. Returns its id.
    pub(crate) async fn record(&mut self, project: &str, run: &Value) -> anyhow::Result<Uuid> {
        let answer = content(self.post(&format!("/v1/projects/{project}/traces"), run).await?, &[201, 202])?;
        id_in(&answer["trace_id"])
    }

    /// Waits until a run is learned from, or for eight seconds. Returns the run.
    pub(crate) async fn wait_for(&mut self, project: &str, run: Uuid) -> anyhow::Result<Value> {
        // Less than the timeout of the connection.
        let path = format!("/v1/projects/{project}/traces/{run}?wait=8&trajectory=none");
        content(self.get(&path).await?, &[200])
    }

    /// Writes a memory by hand. Returns its id.
    pub(crate) async fn write_memory(&mut self, project: &str, task: &str) -> anyhow::Result<Uuid> {
        let memory = json!({
            "task": task, "summary": "Look it up first", "guidance": "Ask for the number and look it up",
            "key_mistake": "", "correct_action": "", "applicable_tools": [],
        });
        let path = format!("/v1/projects/{project}/memories");
        let answer = content(self.post(&path, &memory).await?, &[201])?;
        id_in(&answer["memory"]["id"])
    }
}

/// The JSON of an answer with one of these statuses.
pub(crate) fn content(answer: Answer, statuses: &[u16]) -> anyhow::Result<Value> {
    let text = String::from_utf8_lossy(&answer.body);
    ensure!(statuses.contains(&answer.status), "status {}: {text}", answer.status);
    serde_json::from_slice(&answer.body).with_context(|| format!("no JSON: {text}"))
}

/// A small run, with a review if its result is given.
pub(crate) fn small_run(task: &str, result: Option<&str>) -> Value {
    let mut run = json!({
        "task": task,
        "trajectory": [
            { "role": "user", "content": task },
            { "role": "assistant", "content": "It is done." },
        ],
        "used_memory_ids": [],
    });
    if let Some(result) = result {
        run["review"] = json!({ "result": result, "feedback_text": format!("Look it up first: {task}") });
    }
    run
}

/// Milliseconds since then.
pub(crate) fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn id_in(value: &Value) -> anyhow::Result<Uuid> {
    Ok(value.as_str().context("an answer without an id")?.parse()?)
}
