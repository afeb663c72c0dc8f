//! A server with its provider, projects with a healthy loop, and calls of the doctor.

use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use reflect_scripted_provider::{ChatBehaviour, EndpointScript, Rule, Script, ScriptedProvider};
use reflect_sdk::ReflectClient;
use reflect_test_support::TestDb;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Executor};
use uuid::{NoContext, Timestamp, Uuid};

use crate::process::{BINARY, Server, key};

/// The provider refuses to write a lesson about this word.
pub(super) const REFUSED: &str = "unlearnable";
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct Place {
    pub(super) db: TestDb,
    provider: ScriptedProvider,
    pub(super) server: Server,
    pub(super) key: String,
}

/// A project of the server.
pub(super) struct Project<'a> {
    pub(super) place: &'a Place,
    pub(super) name: String,
    client: ReflectClient,
}

/// The result of a command.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Seen {
    fn report(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(super) fn checks(&self) -> Vec<Value> {
        let report = self.report();
        assert_eq!(report["schema"], "doctor/1", "{self:?}");
        report["item"]["checks"].as_array().unwrap().clone()
    }

    pub(super) fn check(&self, name: &str) -> Value {
        let found = self.checks().into_iter().find(|check| check["check"] == name);
        found.unwrap_or_else(|| panic!("no check {name}: {self:?}"))
    }
}

impl Place {
    pub(super) async fn start() -> Self {
        let refusal = ChatBehaviour::Status { code: 401, retry_after: None, message: None };
        let rule = Rule { words: vec![REFUSED.to_owned()], behaviour: refusal };
        let script = Script {
            chat: EndpointScript { rules: vec![rule], ..EndpointScript::default() },
            ..Script::default()
        };
        let provider = ScriptedProvider::start(script).await.unwrap();
        let db = TestDb::create().await;
        let key = key(&db, &["--master"]);
        let url = provider.base_url();
        let settings = ["--text-provider", "openai", "--text-model", "scripted", "--text-url", &url];
        let embedder = ["--embedder", "openai", "--embedder-model", "scripted", "--embedder-url", &url];
        let server = Server::start(&db, &[&settings[..], &embedder, &["--question-ms", "20000"]].concat());
        Self { db, provider, server, key }
    }

    pub(super) fn fix_the_provider(&self) {
        self.provider.set(Script::default());
    }

    pub(super) async fn project(&self, name: &str) -> Project<'_> {
        Project { place: self, name: name.to_owned(), client: self.client(name, &self.key) }
    }

    fn client(&self, project: &str, key: &str) -> ReflectClient {
        let builder = ReflectClient::builder().base_url(format!("http://{}", self.server.address));
        builder.api_key(key.to_owned()).project_id(project).build().unwrap()
    }
}

/// The binary with these arguments, without the settings of this machine.
pub(super) fn reflect(arguments: &[&str], base_url: &str, key: &str, project: &str) -> Seen {
    reflect_in("/nonexistent", arguments, base_url, key, project)
}

/// The same in an active Python environment.
pub(super) fn reflect_in(python: &str, arguments: &[&str], base_url: &str, key: &str, project: &str) -> Seen {
    let mut command = Command::new(BINARY);
    command
        .args(arguments)
        .env("REFLECT_BASE_URL", base_url)
        .env("REFLECT_API_KEY", key)
        .env("REFLECT_PROJECT_ID", project)
        .env("REFLECT_DEV_FOLDER", "/nonexistent")
        .env("REFLECT_SPOOL_DIR", "/nonexistent")
        .env("VIRTUAL_ENV", python)
        .env_remove("CONDA_PREFIX")
        .env_remove("REFLECT_API_URL")
        .stdin(std::process::Stdio::null());
    let output = command.output().expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Seen {
        code: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// A task without words of other tasks.
pub(super) fn task(number: usize) -> String {
    ["pack", "send", "bill", "call", "file"].map(|word| format!("{word}{number}")).join(" ")
}

pub(super) fn run(number: usize) -> Value {
    json!({ "task": task(number), "trajectory": [{ "role": "assistant", "content": "done" }] })
}

/// A run whose review has a lesson, so that it becomes a memory at once. Every second one failed.
pub(super) fn taught(number: usize) -> Value {
    let mut run = run(number);
    run["review"] = json!({
        "result": if number.is_multiple_of(2) { "pass" } else { "fail" },
        "feedback_text": "The total left the shipping out.",
        "reflection": { "summary": format!("Lesson {number}.") },
    });
    run
}

/// An id that is ten days old.
pub(super) fn old_id() -> Uuid {
    let then = SystemTime::now() - Duration::from_secs(10 * 24 * 60 * 60);
    let seconds = then.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, 0))
}

impl Project<'_> {
    pub(super) async fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.client.raw(method, path, Some(body)).await.unwrap();
        serde_json::from_slice(&answer.body).unwrap_or(Value::Null)
    }

    pub(super) async fn get(&self, path: &str) -> Value {
        let answer = self.client.raw("GET", path, None).await.unwrap();
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// Sends a request with another key.
    pub(super) async fn use_key(&self, key: &str) {
        self.place.client(&self.name, key).raw("GET", "memories", None).await.unwrap();
    }

    pub(super) async fn store(&self, runs: Vec<Value>) -> Vec<Value> {
        let mut results = Vec::new();
        for batch in runs.chunks(100) {
            let stored = self.call("POST", "traces/batch", &json!({ "traces": batch })).await;
            results.extend(stored["results"].as_array().unwrap().clone());
        }
        assert!(results.iter().all(|result| result["error"].is_null()), "{results:?}");
        results
    }

    pub(super) async fn query(&self, body: Value) -> Value {
        self.call("POST", "memory/query", &body).await
    }

    pub(super) async fn report(&self, client: &str, dropped: u64, spooled: u64) {
        let body =
            json!({ "client": client, "sdk": "reflect-sdk 1.0", "dropped": dropped, "spooled": spooled });
        self.call("POST", "client-reports", &body).await;
    }

    /// Runs a statement in which `{project}` stands for this project.
    pub(super) async fn sql(&self, statement: &str) {
        let project = format!("(select project_id from project where slug = '{}')", self.name);
        let statement = statement.replace("{project}", &project);
        self.place.db.superuser().await.execute(AssertSqlSafe(statement)).await.unwrap();
    }

    /// Creates a healthy loop: old runs with lessons, new runs that used these memories, and queries that found them.
    /// If runs name memories that do not exist, their reviews move nothing. Returns the memories.
    pub(super) async fn turn(&self, memories_are_there: bool) -> Vec<String> {
        let old = (0..30).map(|number| {
            let mut run = taught(number);
            run["trace_id"] = json!(old_id());
            run
        });
        let taught_by_old = self.store(old.collect()).await;
        let memories: Vec<String> =
            taught_by_old.iter().map(|run| run["created_memory_id"].as_str().unwrap().to_owned()).collect();
        let new = (0..40).map(|number| {
            let mut run = taught(100 + number);
            let there = &memories[number % memories.len()];
            run["retrieved_memory_ids"] =
                if memories_are_there { json!([there]) } else { json!([Uuid::now_v7()]) };
            run
        });
        self.store(new.collect()).await;
        self.wait_for_lessons().await;
        for (number, memory) in memories.iter().enumerate().take(24) {
            let found = self.query(json!({ "task": task(number) })).await;
            assert!(found.as_array().unwrap().iter().any(|found| found["id"] == **memory), "{found}");
        }
        self.report("host-1", 0, 0).await;
        memories
    }

    /// Waits until every lesson is written and can be found.
    pub(super) async fn wait_for_lessons(&self) {
        let end = Instant::now() + PATIENCE;
        while self.get("overview").await["reflections"]["queued"] != 0 {
            assert!(Instant::now() < end, "lessons are not written");
        }
    }

    /// Waits until the run has this state.
    pub(super) async fn wait_for(&self, trace: &str, ingest_status: &str) {
        let end = Instant::now() + PATIENCE;
        while self.get(&format!("traces/{trace}")).await["ingest_status"] != ingest_status {
            assert!(Instant::now() < end, "{trace} is not {ingest_status}");
        }
    }

    pub(super) async fn wait_for_no_failure(&self) {
        let end = Instant::now() + PATIENCE;
        loop {
            let seen = self.get("overview").await;
            if seen["reflections"]["failed"] == 0 && seen["reflections"]["queued"] == 0 {
                return;
            }
            assert!(Instant::now() < end, "{seen}");
        }
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Seen {
        let base_url = format!("http://{}", self.place.server.address);
        reflect(arguments, &base_url, &self.place.key, &self.name)
    }

    pub(super) fn doctor(&self, arguments: &[&str]) -> Seen {
        self.run(&[&["doctor", "--json"], arguments].concat())
    }

    pub(super) fn doctor_text(&self, arguments: &[&str]) -> String {
        self.run(&[&["doctor"], arguments].concat()).stdout
    }
}
