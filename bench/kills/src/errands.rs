//! What clients of the soak run do not do: changes of memories by people, bulk reviews, deletions, erasures, runs that a
//! judge or a signal reviews, and runs that are sent as spans. Each errand leaves promises: what a client was told, which must hold when
//! all work is done.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use reflect_bench_ingest::http::{Answer, Connection};
use reflect_soak::audit::{Invariant, Violation};
use reflect_soak::client::{Surroundings, Tenant};
use serde_json::{Value, json};
use tokio::time::Instant;
use uuid::Uuid;

/// How long one call is repeated, while processes end and start.
const LONGEST: Duration = Duration::from_secs(60);

/// What a client was told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Promise {
    /// What happened.
    what: &'static str,
    /// The path below the project.
    path: String,
    status: u16,
    /// A field of the body and its value.
    field: Option<(&'static str, Value)>,
}

impl Promise {
    fn new(what: &'static str, path: String, status: u16) -> Self {
        Self { what, path, status, field: None }
    }

    fn with(mut self, field: &'static str, value: Value) -> Self {
        self.field = Some((field, value));
        self
    }

    /// A violation if the server now says something else.
    pub(crate) async fn broken(&self, address: &str, tenant: &Tenant) -> anyhow::Result<Option<Violation>> {
        let mut connection = Connection::open(address).await?;
        let path = format!("/v1/projects/{}/{}", tenant.slug, self.path);
        let answer = connection.get(&path, &authorisation(tenant)).await?;
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let differs = self.field.as_ref().is_some_and(|(field, value)| body.pointer(field) != Some(value));
        let broken = answer.status != self.status || differs;
        let what = || format!("{}: {} is now {} {}", self.what, self.path, answer.status, short(&body));
        Ok(broken.then(|| Violation::new(Invariant::I1, what())))
    }
}

/// What an errand leaves.
#[derive(Debug, Clone, Default)]
pub(crate) struct Promises {
    pub(crate) answers: Vec<Promise>,
    /// The ids of runs that were sent as spans. Each must be stored once.
    pub(crate) span_runs: Vec<String>,
}

impl Promises {
    pub(crate) fn extend(&mut self, other: Self) {
        self.answers.extend(other.answers);
        self.span_runs.extend(other.span_runs);
    }

    fn push(&mut self, promise: Promise) {
        self.answers.push(promise);
    }
}

fn short(body: &Value) -> String {
    body.to_string().chars().take(300).collect()
}

fn authorisation(tenant: &Tenant) -> String {
    format!("authorization: Bearer {}\r\n", tenant.key)
}

/// One client that runs errands.
pub(crate) struct Errands {
    addresses: Vec<String>,
    tenant: Tenant,
    random: SmallRng,
    turn: usize,
    promises: Promises,
}

/// The server did not answer, or the load ends.
struct Interrupted;

impl Errands {
    pub(crate) fn new(addresses: Vec<String>, tenant: Tenant, seed: u64) -> Self {
        Self {
            addresses,
            tenant,
            random: SmallRng::seed_from_u64(seed),
            turn: 0,
            promises: Promises::default(),
        }
    }

    /// Works until the load stops. An errand that is begun is ended.
    pub(crate) async fn work(mut self, surroundings: Arc<Surroundings>) -> Promises {
        while !surroundings.stop.load(Ordering::Relaxed) {
            // An errand without an answer promises nothing.
            let _ = match self.turn % 9 {
                0 => self.judged().await,
                1 => self.edited_and_undone().await,
                2 => self.grouped_and_split().await,
                3 => self.erased_memory().await,
                4 => self.erased_subject().await,
                5 => self.deleted().await,
                6 => self.sent_as_spans().await,
                7 => self.signalled().await,
                _ => self.reviewed_in_bulk().await,
            };
            self.turn += 1;
            tokio::time::sleep(Duration::from_millis(self.random.random_range(5..30))).await;
        }
        self.promises
    }

    /// A run without a review, which the judge reviews.
    async fn judged(&mut self) -> Result<(), Interrupted> {
        let trace = self.trace(json!({})).await?;
        self.promises.push(Promise::new("a recorded run", format!("traces/{trace}"), 200));
        Ok(())
    }

    async fn edited_and_undone(&mut self) -> Result<(), Interrupted> {
        let memory = self.memory().await?;
        let disabled = self.post(&format!("memories/{memory}/disable"), json!({})).await?;
        let path = format!("memories/{memory}");
        let Some(action) = disabled["action_id"].as_str() else {
            // The first of two calls took effect, and its answer was lost.
            let promise = Promise::new("a disabled memory", path, 200);
            self.promises.push(promise.with("/status", json!("disabled")));
            return Ok(());
        };
        self.post(&format!("actions/{action}/undo"), json!({})).await?;
        let promise = Promise::new("an undone change", path, 200);
        self.promises.push(promise.with("/status", json!("active")));
        Ok(())
    }

    async fn grouped_and_split(&mut self) -> Result<(), Interrupted> {
        let (one, other) = (self.memory().await?, self.memory().await?);
        let (into, from) = (self.lesson_of(&one).await?, self.lesson_of(&other).await?);
        if into == from {
            return Ok(());
        }
        self.post("lessons/group", json!({ "into": into, "lesson_ids": [from] })).await?;
        self.post(&format!("lessons/{into}/split"), json!({ "memory_ids": [other] })).await?;
        self.promises.push(Promise::new("a memory of a split lesson", format!("memories/{other}"), 200));
        Ok(())
    }

    async fn erased_memory(&mut self) -> Result<(), Interrupted> {
        let memory = self.memory().await?;
        self.post(&format!("memories/{memory}/erase"), json!({ "memory_id": memory })).await?;
        let promise = Promise::new("an erased memory", format!("memories/{memory}"), 200);
        self.promises.push(promise.with("/task", json!("")));
        Ok(())
    }

    async fn erased_subject(&mut self) -> Result<(), Interrupted> {
        let subject = Uuid::now_v7().to_string();
        let trace = self.trace(json!({ "subject": subject })).await?;
        let erasure = self.post("erasures", json!({ "subject": subject })).await?;
        let Some(erasure) = erasure["id"].as_str() else { return Ok(()) };
        let promise = Promise::new("a requested erasure", format!("erasures/{erasure}"), 200);
        self.promises.push(promise.with("/state", json!("done")));
        self.promises.push(Promise::new("an erased run", format!("traces/{trace}"), 404));
        Ok(())
    }

    async fn deleted(&mut self) -> Result<(), Interrupted> {
        let trace = self.trace(json!({})).await?;
        self.post("traces/delete", json!({ "trace_ids": [trace] })).await?;
        self.promises.push(Promise::new("a deleted run", format!("traces/{trace}"), 404));
        Ok(())
    }

    async fn reviewed_in_bulk(&mut self) -> Result<(), Interrupted> {
        let traces = [self.trace(json!({})).await?, self.trace(json!({})).await?];
        let body = json!({ "trace_ids": traces, "result": "fail", "feedback_text": "It was late.", "reviewer": "bulk" });
        self.post("reviews/bulk", body).await?;
        // The judge may have been faster with one of them.
        for trace in traces {
            let promise = Promise::new("a run reviewed in bulk", format!("traces/{trace}"), 200);
            self.promises.push(promise.with("/review_status", json!("reviewed")));
        }
        Ok(())
    }

    /// A run whose build failed. The judge passes it, and a signal counts more.
    async fn signalled(&mut self) -> Result<(), Interrupted> {
        let trace = self.trace(json!({})).await?;
        let signal =
            json!({ "source": "ci", "trace_id": trace, "outcome": "fail", "comment": "2 tests failed." });
        self.post("signals", signal).await?;
        let promise = Promise::new("a run with a signal", format!("traces/{trace}"), 200);
        self.promises.push(promise.with("/review/result", json!("fail")));
        Ok(())
    }

    /// A run in two requests. The first one has its content, and the second one its end.
    async fn sent_as_spans(&mut self) -> Result<(), Interrupted> {
        let run = Uuid::now_v7().simple().to_string();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string();
        let text = |role: &str, text: &str| {
            json!([{ "role": role, "parts": [{ "type": "text", "content": text }] }]).to_string()
        };
        let span = |id: &str, parent: &str, attributes: &[(&str, String)]| {
            let attribute =
                |(name, value): &(&str, String)| json!({ "key": name, "value": { "stringValue": value } });
            let attributes: Vec<Value> = attributes.iter().map(attribute).collect();
            json!({ "traceId": run, "spanId": id, "parentSpanId": parent, "name": "kettle",
                    "startTimeUnixNano": now, "endTimeUnixNano": now, "attributes": attributes })
        };
        let call = span(
            "00000000000000a2",
            "00000000000000a1",
            &[
                ("gen_ai.operation.name", "chat".to_owned()),
                ("gen_ai.input.messages", text("user", "Fill the kettle")),
                ("gen_ai.output.messages", text("assistant", "It is full.")),
            ],
        );
        let root = span("00000000000000a1", "", &[("gen_ai.operation.name", "invoke_agent".to_owned())]);
        for span in [call, root] {
            let body = json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": [span] }] }] });
            self.call("/otlp/v1/traces", Some(body)).await?;
            // The first one is enough: a run whose end does not arrive is stored without it.
            if self.promises.span_runs.last() != Some(&run) {
                self.promises.span_runs.push(run.clone());
            }
        }
        Ok(())
    }

    async fn trace(&mut self, metadata: Value) -> Result<String, Interrupted> {
        let task = format!("Boil the kettle {}", self.random.random_range(0..1_000_000));
        let step = json!({ "role": "assistant", "content": "It boils." });
        let body = json!({ "task": task, "trajectory": [step], "metadata": metadata });
        let made = self.post("traces", body).await?;
        made["trace_id"].as_str().map(str::to_owned).ok_or(Interrupted)
    }

    async fn memory(&mut self) -> Result<String, Interrupted> {
        let number = self.random.random_range(0..1_000_000);
        let body =
            json!({ "task": format!("Open door {number}"), "guidance": format!("Turn key {number} twice.") });
        let made = self.post("memories", body).await?;
        made.pointer("/memory/id").and_then(Value::as_str).map(str::to_owned).ok_or(Interrupted)
    }

    async fn lesson_of(&mut self, memory: &str) -> Result<String, Interrupted> {
        let path = self.in_project(&format!("memories/{memory}"));
        let read = self.call(&path, None).await?;
        read.pointer("/lesson_id").and_then(Value::as_str).map(str::to_owned).ok_or(Interrupted)
    }

    async fn post(&mut self, path: &str, body: Value) -> Result<Value, Interrupted> {
        let path = self.in_project(path);
        self.call(&path, Some(body)).await
    }

    fn in_project(&self, path: &str) -> String {
        format!("/v1/projects/{}/{path}", self.tenant.slug)
    }

    /// One call, repeated with the same idempotency key until there is an answer. Conflicts are answers.
    async fn call(&mut self, path: &str, body: Option<Value>) -> Result<Value, Interrupted> {
        let (key, end) = (Uuid::now_v7(), Instant::now() + LONGEST);
        let headers = format!("{}idempotency-key: {key}\r\n", authorisation(&self.tenant));
        let mut server = self.turn;
        while Instant::now() < end {
            let address = &self.addresses[server % self.addresses.len()];
            if let Ok(answer) = attempt(address, path, &headers, body.as_ref()).await
                && answer.status < 500
                && answer.status != 429
            {
                return match answer.status {
                    200..300 => Ok(serde_json::from_slice(&answer.body).unwrap_or_default()),
                    _ => Err(Interrupted),
                };
            }
            server += 1;
            tokio::time::sleep(Duration::from_millis(self.random.random_range(10..100))).await;
        }
        Err(Interrupted)
    }
}

async fn attempt(address: &str, path: &str, headers: &str, body: Option<&Value>) -> anyhow::Result<Answer> {
    let mut connection = Connection::open(address).await?;
    match body {
        Some(body) => connection.post(path, headers, body.to_string().as_bytes()).await,
        None => connection.get(path, headers).await,
    }
}
