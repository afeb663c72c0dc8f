//! Makes the test data of a release with the binary of that release: a database with all kinds of rows, and what a server sends to
//! Postgres while a client uses each part of the interface once.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::http::{Answer, Connection};
use reflect_scripted_provider::{ChatBehaviour, EndpointScript, Script, ScriptedProvider};
use reflect_soak::client::Tenant;
use reflect_soak::provider;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::Instant;

use crate::clients::Version;
use crate::postgres::Postgres;
use crate::proxy::Proxy;
use crate::recorder::Recorder;
use crate::release::Release;

/// How long clients create rows.
const WORK: Duration = Duration::from_secs(6);
/// How long learning from one review may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// The projects with rows.
pub(crate) const SLUGS: [&str; 2] = ["one", "two"];
/// The projects of the first and of the repeated part. They are different, so that the second does not depend on the first.
const RECORDED: [&str; 2] = ["first", "repeated"];

/// Records a release.
pub(crate) async fn record(binary: &Path, version: &str, seed: u64) -> anyhow::Result<u64> {
    let postgres = Postgres::start().await?;
    let url = postgres.create("release", None).await?;
    let mut migrate = Command::new(binary);
    migrate.args(["migrate", "--hash-partitions", "4"]).env("REFLECT_DATABASE_URL", &url);
    let output = migrate.output().await?;
    ensure!(output.status.success(), "migrate: {}", String::from_utf8_lossy(&output.stderr));
    let provider = ScriptedProvider::start(provider::good()).await?;
    let server = Version::new(binary, &url, "record");
    fill(&server, &provider, seed).await?;
    let tenants = server.tenants(&provider, &RECORDED).await?;
    let dump = postgres.dump(&url, &["--restrict-key=release"]).await?;

    provider.set(provider::good());
    let recorder = Arc::new(Recorder::default());
    let proxy = Proxy::start(postgres.port, Arc::clone(&recorder)).await?;
    let through = format!("postgres://reflect@127.0.0.1:{}/release?sslmode=disable", proxy.port);
    let recorded = Version::new(binary, &through, "record");
    let mut launch = recorded.launch("all", &provider)?;
    // Few sessions, so that few statements are prepared more than once.
    launch.arguments.extend(["--learners", "1"].map(str::to_owned));
    let running = launch.start().await?;
    for (tenant, repeated) in tenants.into_iter().zip([false, true]) {
        recorder.repeated.store(repeated, Ordering::Relaxed);
        Caller::new(&running.address, tenant).await?.use_everything().await?;
    }
    running.kill().await?;
    let recording = recorder.finish(&url, &dump).await?;
    Release::of(version).write(&dump, &recording)
}

/// Creates rows of all kinds: clients work, then jobs stay behind that failed, wait, and run.
async fn fill(server: &Version, provider: &ScriptedProvider, seed: u64) -> anyhow::Result<()> {
    let mut installation = server.start(provider, &SLUGS, (3, 0, seed)).await?;
    tokio::time::sleep(WORK).await;
    let tenant = server.tenants(provider, &SLUGS).await?.swap_remove(0);
    let mut caller = Caller::new(&installation.servers[0].address, tenant).await?;
    caller.use_everything().await?;
    // A call that the provider refuses fails its run. One that it postpones leaves a job that waits, and a slow one a job that
    // runs when the processes end.
    let behaviours = [ChatBehaviour::status(401), ChatBehaviour::status(429), ChatBehaviour::DelayMs(60_000)];
    for behaviour in behaviours {
        provider.set(Script { chat: EndpointScript::always(behaviour), ..provider::good() });
        caller.store_reviewed("Answer the letter").await?;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    installation.stop_clients().await;
    for process in installation.servers {
        process.kill().await?;
    }
    Ok(())
}

/// A client that uses each part of the interface.
struct Caller {
    connection: Connection,
    tenant: Tenant,
    calls: usize,
}

impl Caller {
    async fn new(address: &str, tenant: Tenant) -> anyhow::Result<Self> {
        Ok(Self { connection: Connection::open(address).await?, tenant, calls: 0 })
    }

    async fn use_everything(&mut self) -> anyhow::Result<()> {
        let first = self.store_reviewed("Refund the order of the kettle").await?;
        let memory = self.learned(&first).await?;
        let answer =
            self.post("memory/query", json!({ "task": "Refund the order of the spoon", "limit": 5 })).await?;
        let receipt = answer[0]["retrieval_id"].clone();
        self.post("memory/augment", json!({ "task": "Refund the order of the fork", "limit": 5 })).await?;
        // Reviews that name a receipt and ids, with and without a lesson of their own.
        let mut run = run("Refund the order of the spoon");
        run["retrieval_id"] = receipt.clone();
        run["review"] = json!({ "result": "fail", "feedback_text": "The order was a gift." });
        let second = self.post("traces", run.clone()).await?["trace_id"].clone();
        self.learned(&second).await?;
        run["retrieval_id"] = Value::Null;
        run["retrieved_memory_ids"] = json!([memory]);
        run["review"]["reflection"] =
            json!({ "summary": "Ask who paid.", "guidance": "Ask who paid for the order." });
        self.post("traces", run).await?;
        self.change_reviews().await?;
        self.change_memories(&memory).await?;
        self.read(&first, &memory, &receipt).await
    }

    async fn change_reviews(&mut self) -> anyhow::Result<()> {
        let runs =
            json!({ "traces": [run("Find the invoice"), run("Find the receipt"), run("Find the parcel")] });
        let stored = self.post("traces/batch", runs).await?;
        let ids: Vec<Value> = (0..3).map(|at| stored["results"][at]["trace_id"].clone()).collect();
        self.post("review-queue/next", json!({ "count": 2 })).await?;
        let reviews = json!({ "reviews": [{ "trace_id": ids[0], "result": "pass" }, { "trace_id": ids[1], "result": "fail" }] });
        self.post("reviews/batch", reviews).await?;
        self.learned(&ids[0]).await?;
        self.learned(&ids[1]).await?;
        let path = |id: &Value| format!("traces/{}/review", id.as_str().unwrap_or_default());
        let replaced = json!({ "result": "fail", "feedback_text": "Not that one.", "replace": true });
        self.post(&path(&ids[0]), replaced).await?;
        self.post(&path(&ids[2]), json!({ "result": "pass", "feedback_text": "Found at once." })).await?;
        self.send("DELETE", &path(&ids[1]), None).await?;
        Ok(())
    }

    async fn change_memories(&mut self, memory: &Value) -> anyhow::Result<()> {
        let text = json!({ "task": "Weigh the parcel", "summary": "Use the scale.", "guidance": "Weigh the parcel first." });
        self.send("POST", "memories", Some(text)).await?;
        let id = memory.as_str().unwrap_or_default();
        for verb in ["disable", "enable", "pin", "unpin", "quarantine", "release"] {
            self.post(&format!("memories/{id}/{verb}"), json!({})).await?;
        }
        Ok(())
    }

    async fn read(&mut self, trace: &Value, memory: &Value, receipt: &Value) -> anyhow::Result<()> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (trace, memory, receipt) = (text(trace), text(memory), text(receipt));
        let paths = [
            "traces?limit=10".to_owned(),
            "traces/rows?limit=10".to_owned(),
            format!("traces/{trace}"),
            format!("traces/{trace}/steps"),
            "memories?limit=10".to_owned(),
            format!("memories/{memory}"),
            format!("memories/{memory}/history"),
            format!("memories/{memory}/uses"),
            format!("retrievals/{receipt}"),
            "review-queue".to_owned(),
            "overview".to_owned(),
            "uplift".to_owned(),
            "loop-health".to_owned(),
            "actions".to_owned(),
            "api-keys".to_owned(),
        ];
        for path in paths {
            self.send("GET", &path, None).await?;
        }
        Ok(())
    }

    /// Stores a run with a review. Returns its id.
    async fn store_reviewed(&mut self, task: &str) -> anyhow::Result<Value> {
        let mut body = run(task);
        body["review"] = json!({ "result": "fail", "feedback_text": "Look the order up first." });
        Ok(self.post("traces", body).await?["trace_id"].clone())
    }

    /// Waits until the run is learned from. Returns its memory.
    async fn learned(&mut self, trace: &Value) -> anyhow::Result<Value> {
        let began = Instant::now();
        loop {
            let path = format!("traces/{}?trajectory=none", trace.as_str().context("no id")?);
            let state = self.send("GET", &path, None).await?;
            if state["ingest_status"] == "completed" {
                return Ok(state["created_memory_id"].clone());
            }
            ensure!(began.elapsed() < PATIENCE, "run {trace} is not learned from: {state}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    async fn post(&mut self, path: &str, body: Value) -> anyhow::Result<Value> {
        self.send("POST", path, Some(body)).await
    }

    /// Sends a call that must succeed.
    async fn send(&mut self, method: &str, path: &str, body: Option<Value>) -> anyhow::Result<Value> {
        self.calls += 1;
        let full = format!("/v1/projects/{}/{path}", self.tenant.slug);
        let key = uuid::Uuid::now_v7();
        let headers = format!("authorization: Bearer {}\r\nidempotency-key: {key}\r\n", self.tenant.key);
        let answer: Answer = match (method, body) {
            ("DELETE", _) => self.connection.delete(&full, &headers).await?,
            (_, None) => self.connection.get(&full, &headers).await?,
            (_, Some(body)) => self.connection.post(&full, &headers, body.to_string().as_bytes()).await?,
        };
        let text = String::from_utf8_lossy(&answer.body);
        ensure!((200..300).contains(&answer.status), "{method} {path}: {} {text}", answer.status);
        Ok(serde_json::from_slice(&answer.body).unwrap_or_default())
    }
}

fn run(task: &str) -> Value {
    json!({
        "task": task,
        "trajectory": [
            { "role": "user", "content": task },
            { "role": "assistant", "content": "I look it up." },
            { "role": "tool", "content": "order 17: shipped", "call_id": "1" },
            { "role": "assistant", "content": "It is on its way." },
        ],
        "metadata": { "team": "support" },
        "model": "bench",
    })
}
