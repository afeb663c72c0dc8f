//! What a provider can do wrong, and that no review, no run and no retrieval is lost by it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reflect_engine::Models;
use reflect_model_providers::{ProviderEmbedder, ProviderKind, ProviderSettings, ProviderText};
use reflect_scripted_provider::{
    CallKind, ChatBehaviour, EmbedBehaviour, EndpointScript, Script, ScriptedProvider,
};
use reflect_server::ServerSettings;
use reflect_test_support::{TestApp, trace};
use serde_json::{Value, json};
use sqlx::Executor;

/// A question waits half a second for its vector. A busy machine may take more, but nothing like the time
/// after which a provider that hangs is given up.
const SOON: Duration = Duration::from_secs(5);
const PATIENCE: Duration = Duration::from_secs(60);

struct Given {
    app: TestApp,
    provider: ScriptedProvider,
}

/// An application whose provider follows a script.
async fn given(script: Script) -> Given {
    // A short timeout if the script never answers in time. Otherwise a long one, because the machine may be slow.
    let times_out = [format!("{:?}", script.chat), format!("{:?}", script.embeddings)]
        .iter()
        .any(|endpoint| endpoint.contains("Hang") || endpoint.contains("Trickle"));
    let timeout = if times_out { Duration::from_millis(400) } else { Duration::from_secs(20) };
    let provider = ScriptedProvider::start(script).await.unwrap();
    let settings = ProviderSettings {
        base_url: Some(provider.base_url()),
        timeout,
        ..ProviderSettings::new(ProviderKind::OpenAi, "scripted")
    };
    let models = Models {
        text: Some(Arc::new(ProviderText::connect(&settings).unwrap())),
        embedder: Some(Arc::new(ProviderEmbedder::connect(&settings).unwrap())),
        question_deadline: Some(Duration::from_millis(300)),
        ..Models::default()
    };
    let app = TestApp::with_models(models, ServerSettings::default()).await;
    // The model is asked for lessons only, not whether two of them are the same.
    let structure = json!({ "lessons": { "grouping": "structure" } });
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&structure)).await.expect(200);
    Given { app, provider }
}

fn chat(behaviour: ChatBehaviour) -> Script {
    Script { chat: EndpointScript::always(behaviour), ..Script::default() }
}

fn embeddings(behaviour: EmbedBehaviour) -> Script {
    Script { embeddings: EndpointScript::always(behaviour), ..Script::default() }
}

impl Given {
    /// A failed run that waits to be learned from.
    async fn reviewed(&self, task: &str) -> String {
        let mut body = trace();
        body["task"] = json!(task);
        body["review"] = json!({ "result": "fail", "feedback_text": "the total was wrong" });
        let stored = self.app.post("/traces", &body).await.expect(202).json();
        stored["trace_id"].as_str().unwrap().to_owned()
    }

    async fn trace(&self, id: &str) -> Value {
        self.app.get(&format!("/traces/{id}")).await.expect(200).json()
    }

    /// Makes everything that waits for its time due now, and works it off.
    async fn learn_now(&self) {
        let due = "update job set run_at = now() where run_at > now()";
        self.app.db.superuser().await.execute(due).await.unwrap();
        self.app.learn().await;
    }

    /// Works until the run is learned from, through whatever pauses there are.
    async fn learned(&self, id: &str) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            self.learn_now().await;
            let trace = self.trace(id).await;
            if trace["review_status"] == "reviewed" {
                return trace;
            }
            assert!(Instant::now() < end, "still not learned: {trace}");
        }
    }

    fn calls(&self, kind: CallKind) -> usize {
        self.provider.calls().iter().filter(|call| call.kind == kind).count()
    }

    async fn query(&self, task: &str) -> (Vec<Value>, Option<String>) {
        let answer = self.app.post("/memory/query", &json!({ "task": task })).await.expect(200);
        let degraded = answer.header("x-reflect-degraded").map(str::to_owned);
        (answer.json().as_array().unwrap().clone(), degraded)
    }
}

#[tokio::test]
async fn a_provider_that_does_not_answer_is_waited_for_and_nothing_is_lost() {
    for behaviour in [
        ChatBehaviour::Refuse,
        ChatBehaviour::Hang,
        ChatBehaviour::Trickle,
        ChatBehaviour::status(429),
        ChatBehaviour::status(500),
        ChatBehaviour::status(503),
    ] {
        let name = format!("{behaviour:?}");
        let given = given(chat(behaviour)).await;
        let id = given.reviewed("add up the invoice").await;
        given.app.learn().await;

        let waiting = given.trace(&id).await;
        assert_eq!(waiting["ingest_status"], "queued", "{name}");
        assert_eq!(waiting["ingest_attempts"], 1, "{name}");
        assert_eq!(waiting["review"]["result"], "fail", "{name}");
        let error = waiting["last_ingest_error"].as_str().unwrap();
        assert!(error.starts_with("no reflection could be written: "), "{name}: {error}");
        // Runs are taken in and questions are answered meanwhile.
        given.app.given_trace().await;
        assert_eq!(given.query("add up the invoice").await.0.len(), 0, "{name}");

        given.provider.set(Script::default());
        let learned = given.learned(&id).await;
        assert_eq!(learned["last_ingest_error"], Value::Null, "{name}");
        let (found, degraded) = given.query("add up the invoice").await;
        assert_eq!(found[0]["id"], learned["created_memory_id"], "{name}");
        assert_eq!(found[0]["origin"], "review", "{name}");
        assert_eq!(degraded, None, "{name}");
    }
}

#[tokio::test]
async fn a_provider_that_asks_for_peace_gets_it() {
    let busy = ChatBehaviour::Status { code: 429, retry_after: Some("120".to_owned()), message: None };
    let given = given(Script { chat: EndpointScript::first([busy]), ..Script::default() }).await;
    given.reviewed("a").await;
    given.app.learn().await;
    let in_seconds = "select extract(epoch from run_at - now())::float8 from job";
    let wait: f64 =
        sqlx::query_scalar(in_seconds).fetch_one(&mut given.app.db.superuser().await).await.unwrap();
    assert!((110.0..=121.0).contains(&wait), "{wait}");
}

#[tokio::test]
async fn a_refused_key_fails_at_once_with_words_to_act_on_and_can_be_retried() {
    let given = given(chat(ChatBehaviour::status(401))).await;
    let id = given.reviewed("a").await;
    let retry = format!("/traces/{id}/retry");
    given.app.post(&retry, &json!({})).await.expect(409);
    given.app.learn().await;

    let failed = given.trace(&id).await;
    assert_eq!(failed["ingest_status"], "failed");
    assert!(failed["last_ingest_error"].as_str().unwrap().contains("401"), "{failed}");
    assert_eq!(given.calls(CallKind::Chat), 1);

    given.provider.set(Script::default());
    given.app.post(&retry, &json!({})).await.expect(202);
    given.app.learn().await;
    assert_eq!(given.trace(&id).await["review_status"], "reviewed");
}

#[tokio::test]
async fn an_answer_nobody_can_read_ends_in_a_lesson_without_a_model() {
    for behaviour in [
        ChatBehaviour::Truncated,
        ChatBehaviour::WrongSchema,
        ChatBehaviour::NotJson,
        ChatBehaviour::Huge,
        ChatBehaviour::Text("I would rather not.".to_owned()),
    ] {
        let name = format!("{behaviour:?}").chars().take(20).collect::<String>();
        let given = given(chat(behaviour)).await;
        let id = given.reviewed("add up the invoice").await;
        let learned = given.learned(&id).await;
        assert!(learned["ingest_attempts"].as_i64().unwrap() >= 3, "{name}: {learned}");
        let (found, _) = given.query("add up the invoice").await;
        assert_eq!(found[0]["origin"], "offline", "{name}");
        let note = found[0]["note"].as_str().unwrap();
        assert!(note.contains("without a model") && note.contains("no reflection"), "{name}: {note}");
        assert!(found[0]["reflection"].as_str().unwrap().contains("the total was wrong"), "{name}");
    }
}

#[tokio::test]
async fn an_answer_that_gives_orders_waits_for_a_person_and_is_then_served_as_harmless_text() {
    let given = given(chat(ChatBehaviour::Injection)).await;
    let id = given.reviewed("add up the invoice").await;
    given.learned(&id).await;
    assert!(given.query("add up the invoice").await.0.is_empty());
    let released = "with moved as (delete from parked_vector returning *), free as (update memory_stat set quarantined = false)
                    insert into memory_vector select project_id, space_id, memory_id, embedding from moved";
    sqlx::query(released).execute(&mut given.app.db.superuser().await).await.unwrap();
    let (found, _) = given.query("add up the invoice").await;
    assert_eq!(found[0]["flags"][0], "orders");
    let served = found[0].to_string().to_lowercase();
    for tag in ["</memory", "</reflection", "</relevant_memories", "<instructions"] {
        assert!(!served.contains(tag), "{served}");
    }
}

#[tokio::test]
async fn without_vectors_questions_are_answered_by_words_and_soon() {
    for behaviour in [
        EmbedBehaviour::Refuse,
        EmbedBehaviour::Hang,
        EmbedBehaviour::Trickle,
        EmbedBehaviour::status(429),
        EmbedBehaviour::status(500),
        EmbedBehaviour::WrongDimension,
        EmbedBehaviour::Nan,
        EmbedBehaviour::Null,
        EmbedBehaviour::Zero,
        EmbedBehaviour::Fewer,
        EmbedBehaviour::Truncated,
    ] {
        let name = format!("{behaviour:?}");
        let given = given(Script::default()).await;
        let id = given.reviewed("add up the invoice").await;
        let learned = given.learned(&id).await;
        given.provider.set(embeddings(behaviour));
        let began = Instant::now();
        let (found, degraded) = given.query("please add up this other invoice").await;
        assert!(began.elapsed() < SOON, "{name}: {:?}", began.elapsed());
        assert_eq!(found[0]["id"], learned["created_memory_id"], "{name}");
        assert!(degraded.is_some(), "{name}");

        given.provider.set(Script::default());
        let end = Instant::now() + PATIENCE;
        // Back to vectors, once the embedder is asked again.
        while given.query("add up one more invoice").await.1.is_some() {
            assert!(Instant::now() < end, "{name}: still degraded");
        }
    }
}

#[tokio::test]
async fn a_vector_that_cannot_be_used_fails_the_run_and_the_reflection_is_paid_for_once() {
    for behaviour in [EmbedBehaviour::Nan, EmbedBehaviour::Zero, EmbedBehaviour::Fewer] {
        let name = format!("{behaviour:?}");
        let given = given(embeddings(behaviour)).await;
        let id = given.reviewed("add up the invoice").await;
        for _ in 0..3 {
            given.learn_now().await;
        }
        let failed = given.trace(&id).await;
        assert_eq!(failed["ingest_status"], "failed", "{name}: {failed}");
        let error = failed["last_ingest_error"].as_str().unwrap();
        assert!(error.starts_with("the memory could not be embedded: "), "{name}: {error}");
        assert_eq!(given.calls(CallKind::Chat), 1, "{name}");

        given.provider.set(Script::default());
        given.app.post(&format!("/traces/{id}/retry"), &json!({})).await.expect(202);
        given.learned(&id).await;
        assert_eq!(given.calls(CallKind::Chat), 1, "{name}: the kept reflection was used");
    }
}

#[tokio::test]
async fn a_provider_that_is_down_is_left_alone_and_the_backlog_drains_after() {
    let given = given(chat(ChatBehaviour::status(503))).await;
    let mut ids = Vec::new();
    for number in 0..20 {
        ids.push(given.reviewed(&format!("task number {number}")).await);
    }
    for _ in 0..3 {
        given.learn_now().await;
    }
    let asked = given.calls(CallKind::Chat);
    assert!((5..=10).contains(&asked), "{asked} calls: it closes after five and tries one now and then");

    given.provider.set(Script::default());
    for id in &ids {
        given.learned(id).await;
    }
    let after = given.calls(CallKind::Chat) - asked;
    assert!(after <= ids.len() + 2, "{after} calls for {} reviews", ids.len());
}

#[tokio::test]
async fn a_spent_budget_waits_for_tomorrow() {
    let given = given(Script::default()).await;
    let path = given.app.path("");
    let body = json!({ "daily_tokens": 1 });
    given.app.send("PATCH", &path, Some(&given.app.key), &[], Some(&body)).await.expect(200);
    let first = given.reviewed("one").await;
    given.app.learn().await;
    assert_eq!(given.trace(&first).await["review_status"], "reviewed");

    let second = given.reviewed("two").await;
    given.app.learn().await;
    let waiting = given.trace(&second).await;
    assert_eq!(waiting["ingest_status"], "queued");
    assert!(waiting["last_ingest_error"].as_str().unwrap().contains("budget of 1 tokens"), "{waiting}");
    assert_eq!(given.calls(CallKind::Chat), 1);
}
