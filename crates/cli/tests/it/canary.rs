//! Canaries: secrets that are sent through every input, and then searched for everywhere.

use std::time::{Duration, Instant};

use reflect_scripted_provider::{Script, ScriptedProvider};
use reflect_test_support::TestDb;
use serde_json::{Value, json};

use crate::process::{Server, key};

const PATIENCE: Duration = Duration::from_secs(60);

struct Given {
    db: TestDb,
    provider: ScriptedProvider,
    server: Server,
    key: String,
}

impl Given {
    async fn start() -> Self {
        let db = TestDb::create().await;
        let provider = ScriptedProvider::start(Script::default()).await.unwrap();
        let key = key(&db, &["--master"]);
        let url = provider.base_url();
        let server = Server::start(
            &db,
            &[
                "--log",
                "trace",
                "--text-provider",
                "openai",
                "--text-model",
                "scripted",
                "--text-url",
                &url,
                "--embedder",
                "openai",
                "--embedder-model",
                "scripted",
                "--embedder-url",
                &url,
                "--question-ms",
                "20000",
            ],
        );
        Self { db, provider, server, key }
    }

    /// A call in the project. It must succeed.
    fn call(&self, method: &str, path: &str, body: &Value) -> String {
        let head = format!(
            "{method} /v1/projects/p{path} HTTP/1.1\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n",
            self.key
        );
        let answer = self.server.request(&head, &body.to_string());
        assert!(answer.starts_with("HTTP/1.1 20"), "{method} {path}: {answer}");
        answer
    }

    fn json(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.call(method, path, body);
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        // A body of more than a kilobyte may be chunked.
        let start = body.find(['{', '[']).unwrap();
        let end = body.rfind(['}', ']']).unwrap();
        serde_json::from_str(&body[start..=end]).unwrap_or(Value::Null)
    }

    /// Sends texts through every input, a new one each time.
    fn send_everywhere(&self, mut canary: impl FnMut() -> String) {
        let lesson = json!({ "summary": canary(), "guidance": canary(), "key_mistake": canary(),
                             "correct_action": canary(), "applicable_tools": [canary()] });
        let mut run = |review: Value| {
            let arguments = json!({ "command": canary(), "note": format!("line\n{}", canary()) }).to_string();
            let mut body = json!({
                "task": format!("deploy with {}", canary()),
                "trajectory": [{ "role": "user", "content": canary() },
                               { "role": "assistant", "content": [{ "type": "text", "text": canary() }],
                                 "tool_calls": [{ "function": { "name": "run", "arguments": arguments } }] },
                               { "role": "assistant", "content": format!("done: {}", canary()) }],
                "final_response": canary(), "model": canary(), "reference_context": canary(),
                "retrieved_memory_ids": [canary()], "keys": { "session": canary() },
                "metadata": { "nested": { "deep": [canary()] }, "subject": canary() },
            });
            if review != Value::Null {
                body["review"] = review;
            }
            body
        };
        let plain = run(Value::Null);
        let text = json!({ "task": "as text", "trajectory": plain["trajectory"].to_string() });
        let inline = run(json!({ "result": "fail", "feedback_text": plain["task"] }));
        let authored = run(json!({ "result": "pass", "reflection": lesson }));
        let batch =
            json!({ "traces": [run(json!({ "result": "fail", "feedback_text": plain["model"] })), text] });
        let about_a_key = json!({ "source": "ci", "key": { "name": "session", "value": canary() }, "score": 0.2,
                                  "comment": canary(), "metadata": { "nested": { "deep": [canary()] } },
                                  "url": format!("https://ci.example/{}", canary().replace(' ', "/")) });
        let stored = self.json("POST", "/traces", &plain);
        for body in [&text, &inline, &authored] {
            self.call("POST", "/traces", body);
        }
        self.call("POST", "/traces/batch", &batch);
        let id = stored["trace_id"].as_str().unwrap();
        let verdict = json!({ "result": "fail", "feedback_text": plain["final_response"] });
        self.call("POST", &format!("/traces/{id}/review"), &verdict);
        let replaced = json!({ "trace_id": id, "result": "pass", "feedback_text": plain["task"], "replace": true,
                               "reflection": lesson });
        self.call("POST", "/reviews/batch", &json!({ "reviews": [replaced] }));
        let about_the_run =
            json!({ "source": "ci", "trace_id": id, "outcome": "fail", "comment": plain["task"] });
        self.call("POST", "/signals/batch", &json!({ "signals": [about_a_key, about_the_run] }));
        let token = self.json("POST", &format!("/traces/{id}/feedback-token"), &json!({}))["token"].clone();
        self.vote(&json!({ "token": token, "outcome": "fail", "comment": plain["model"] }));
        let question = json!({ "task": plain["task"], "metadata_filter": { "who": plain["model"] },
                               "metadata_exclude": { "who": plain["final_response"] } });
        self.call("POST", "/memory/query", &question);
        self.call("POST", "/memory/augment", &json!({ "task": inline["task"] }));
        self.call(
            "POST",
            "/client-reports",
            &json!({ "client": plain["model"], "sdk": plain["final_response"] }),
        );
        self.send_spans(&mut canary);
        self.wait_until_learned();
        self.call("POST", "/skill/create", &json!({}));
    }

    /// A vote with a feedback token, without a key.
    fn vote(&self, body: &Value) {
        let head = "POST /v1/feedback HTTP/1.1\r\ncontent-type: application/json\r\n";
        let answer = self.server.request(head, &body.to_string());
        assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
    }

    /// A run that arrives as OpenTelemetry spans, and one that waits for its end.
    fn send_spans(&self, mut canary: impl FnMut() -> String) {
        self.call("PATCH", "", &json!({ "otlp": { "grace_seconds": 0 } }));
        let mut chat = |run: u8| {
            let message =
                |text: String| json!([{ "role": "user", "parts": [{ "type": "text", "content": text }] }]);
            let attribute =
                |(key, value): (&str, String)| json!({ "key": key, "value": { "stringValue": value } });
            let attributes = [
                ("gen_ai.operation.name", "chat".to_owned()),
                ("gen_ai.input.messages", message(canary()).to_string()),
                ("gen_ai.output.messages", canary()),
                ("session.id", canary()),
            ];
            let attributes: Vec<Value> = attributes.into_iter().map(attribute).collect();
            json!({ "traceId": format!("{run:032x}"), "spanId": format!("{:016x}", 1), "name": canary(),
                    "attributes": attributes, "status": { "code": 2, "message": canary() } })
        };
        let ended = chat(1);
        let mut waiting = chat(2);
        waiting["parentSpanId"] = format!("{:016x}", 9).into();
        let body = json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": [ended, waiting] }] }] });
        let head = format!(
            "POST /otlp/v1/traces HTTP/1.1\r\nauthorization: Bearer {}\r\nx-project-id: p\r\ncontent-type: application/json\r\n",
            self.key
        );
        let answer = self.server.request(&head, &body.to_string());
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    fn wait_until_learned(&self) {
        let end = Instant::now() + PATIENCE;
        loop {
            let traces = self.json("GET", "/traces", &json!({}));
            let waits =
                |trace: &Value| matches!(trace["ingest_status"].as_str(), Some("queued" | "processing"));
            let traces = traces.as_array().unwrap();
            if !traces.iter().any(waits) {
                assert!(traces.iter().all(|trace| trace["ingest_status"] == "completed"), "{traces:?}");
                return;
            }
            assert!(Instant::now() < end, "learning takes too long");
            std::thread::yield_now();
        }
    }

    /// Everything that was sent to the provider, as text.
    fn sent_to_provider(&self) -> String {
        let calls = self.provider.calls();
        assert!(calls.len() >= 4, "the provider was hardly asked");
        calls.iter().map(|call| call.body.to_string()).collect()
    }

    /// Every run as the API returns it, because bodies in the database are compressed.
    fn read_back(&self) -> String {
        self.call("GET", "/traces", &json!({}))
    }

    fn stop(self) -> (TestDb, String) {
        self.server.signal("TERM");
        let (_, log) = self.server.end();
        (self.db, log)
    }
}

/// Searches for all canaries everywhere. `kept` must be found, which proves that the search works.
async fn assert_gone(given: Given, canaries: &[String], kept: &str) {
    let (provider, back) = (given.sent_to_provider(), given.read_back());
    assert!(provider.contains(kept) && back.contains(kept), "what is no secret is sent and stored");
    let (db, log) = given.stop();
    assert!(log.contains("POST /v1/projects/{project_id}/traces"), "{log}");
    assert!(!db.tables_with(kept).await.is_empty());
    for canary in canaries {
        assert!(!provider.contains(canary), "sent to the provider: {canary}");
        assert!(!back.contains(canary), "read back: {canary}");
        assert!(!log.contains(canary), "logged: {canary}");
        assert_eq!(db.tables_with(canary).await, Vec::<String>::new(), "{canary}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_reach_no_table_log_or_provider_through_any_input() {
    let given = Given::start().await;
    let mut canaries = Vec::new();

    given.send_everywhere(|| {
        let random = format!("{:X}{:X}", uuid::Uuid::now_v7().simple(), uuid::Uuid::new_v4().simple());
        let canary = format!("canary{random}");
        let secret = format!("ghp_{}", &canary[..42]);
        canaries.push(secret.clone());
        format!("kept-text {secret}")
    });

    assert_gone(given, &canaries, "kept-text").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn masked_personal_data_reaches_no_table_log_or_provider() {
    let given = Given::start().await;
    given.call("PATCH", "", &json!({ "redaction": { "pii": "mask" } }));
    let mut canaries = Vec::new();

    given.send_everywhere(|| {
        let name = format!("canary{}", uuid::Uuid::now_v7().simple());
        canaries.push(name.clone());
        format!("kept-text {name}@example.org")
    });

    assert_gone(given, &canaries, "kept-text").await;
}
