//! Changing one's mind: inside the grace nothing was learned, after it everything is taken back; and one verdict
//! for many traces, told beforehand and undone as a whole.

use std::sync::Arc;

use reflect_engine::{Models, Visitor};
use reflect_model_providers::{ProviderEmbedder, ProviderKind, ProviderSettings, ProviderText};
use reflect_scripted_provider::{CallKind, Script, ScriptedProvider};
use reflect_server::ServerSettings;
use reflect_store::{AuditActor, RequestOrigin};
use reflect_test_support::{TestApp, trace};
use serde_json::{Value, json};
use sqlx::Executor;

struct Given {
    app: TestApp,
    provider: ScriptedProvider,
    /// A memory that every run of the tests was shown.
    memory: String,
}

/// An application with a model that writes lessons and counts how often it is asked.
async fn given() -> Given {
    let provider = ScriptedProvider::start(Script::default()).await.unwrap();
    let settings = ProviderSettings {
        base_url: Some(provider.base_url()),
        ..ProviderSettings::new(ProviderKind::OpenAi, "scripted")
    };
    let models = Models {
        text: Some(Arc::new(ProviderText::connect(&settings).unwrap())),
        embedder: Some(Arc::new(ProviderEmbedder::connect(&settings).unwrap())),
        ..Models::default()
    };
    let app = TestApp::with_models(models, ServerSettings::default()).await;
    // Each review makes a memory of its own, and the model is asked for lessons only.
    let apart = json!({ "lessons": { "grouping": "off" } });
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&apart)).await.expect(200);
    let mut body = trace();
    body["review"] = json!({ "result": "pass", "reflection": { "summary": "Look twice." } });
    let stored = app.post("/traces", &body).await.expect(201).json();
    let memory = stored["created_memory_id"].as_str().unwrap().to_owned();
    Given { app, provider, memory }
}

impl Given {
    async fn run(&self) -> String {
        let mut body = trace();
        body["retrieved_memory_ids"] = json!([self.memory]);
        let stored = self.app.post("/traces", &body).await.expect(201).json();
        stored["trace_id"].as_str().unwrap().to_owned()
    }

    async fn q(&self) -> f64 {
        let mut database = self.app.db.superuser().await;
        let q = sqlx::query_scalar("select q::float8 from memory_stat where memory_id = $1::uuid");
        q.bind(&self.memory).fetch_one(&mut database).await.unwrap()
    }

    async fn count(&self, what: &str) -> i64 {
        let count = sqlx::AssertSqlSafe(format!("select count(*) from {what}"));
        sqlx::query_scalar(count).fetch_one(&mut self.app.db.superuser().await).await.unwrap()
    }

    /// The grace of every review is over.
    async fn let_grace_pass(&self) {
        let mut database = self.app.db.superuser().await;
        database.execute("update job set run_at = now()").await.unwrap();
        database.execute("update review set learns_at = now() where learns_at is not null").await.unwrap();
    }

    fn asked(&self) -> usize {
        self.provider.calls().iter().filter(|call| call.kind == CallKind::Chat).count()
    }

    async fn withdraw(&self, trace: &str) -> Value {
        let path = self.app.path(&format!("/traces/{trace}/review"));
        self.app.send("DELETE", &path, Some(&self.app.key), &[], None).await.expect(200).json()
    }

    async fn bulk(&self, body: Value) -> Value {
        self.app.post("/reviews/bulk", &body).await.expect(200).json()
    }

    /// Takes all reviews of an action back.
    async fn revert(&self, action: &Value) -> u64 {
        let engine = self.app.app.engine();
        let holder = engine.access.authenticate(&self.app.key, None).await.unwrap();
        let visitor: Visitor =
            engine.access.enter(&holder, &self.app.project, false, &RequestOrigin::default()).await.unwrap();
        let actor = AuditActor::local("test");
        engine
            .actions
            .revert_reviews(&visitor, action.as_str().unwrap().parse().unwrap(), &actor)
            .await
            .unwrap()
    }
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-6
}

#[tokio::test]
async fn a_review_that_is_taken_back_within_its_grace_asked_no_model() {
    let given = given().await;
    let trace = given.run().await;
    let path = format!("/traces/{trace}/review");

    let body = json!({ "result": "fail", "feedback_text": "no", "grace_seconds": 300 });
    let judged = given.app.post(&path, &body).await.expect(200).json();
    assert_eq!(judged["ingest_status"], "queued");
    assert!(judged["review"]["learns_at"].as_str() > judged["review"]["created_at"].as_str());
    assert!(close(given.q().await, 0.35), "the utility moves at once");
    given.app.learn().await;
    // A change of settings wakes what waits for them, and not what its reviewer may still take back.
    let settings = given.app.path("");
    let change = json!({ "daily_tokens": 1_000_000 });
    given.app.send("PATCH", &settings, Some(&given.app.key), &[], Some(&change)).await.expect(200);
    given.app.learn().await;
    assert_eq!(given.asked(), 0);

    let now = given.withdraw(&trace).await;
    assert_eq!((&now["review"], &now["review_status"]), (&Value::Null, &json!("pending")));
    assert!(close(given.q().await, 0.5), "and back");
    given.let_grace_pass().await;
    given.app.learn().await;
    assert_eq!(given.asked(), 0);
    assert_eq!(given.count("job").await, 0);
    assert_eq!(given.count("memory").await, 1);
}

#[tokio::test]
async fn undoing_one_review_leaves_the_one_that_took_its_place() {
    let given = given().await;
    let trace = given.run().await;
    let path = format!("/traces/{trace}/review");
    let body = json!({ "result": "fail", "grace_seconds": 300 });
    let mine = given.app.post(&path, &body).await.expect(200).json()["review"]["id"].clone();
    let body = json!({ "result": "pass", "replace": true, "grace_seconds": 300 });
    let theirs = given.app.post(&path, &body).await.expect(200).json()["review"]["id"].clone();

    let only = |id: &Value| given.app.path(&format!("{path}?review_id={}", id.as_str().unwrap()));
    let delete = async |path: &str| given.app.send("DELETE", path, Some(&given.app.key), &[], None).await;
    delete(&only(&mine)).await.expect(409);
    assert!(close(given.q().await, 0.65), "what somebody else said still counts");
    let now = delete(&only(&theirs)).await.expect(200).json();
    assert_eq!(now["review"], Value::Null);
    assert!(close(given.q().await, 0.5));
    delete(&only(&theirs)).await.expect(200);
}

#[tokio::test]
async fn after_its_grace_a_review_is_learned_from_and_can_still_be_taken_back() {
    let given = given().await;
    let trace = given.run().await;
    let body = json!({ "reviews": [{ "trace_id": trace, "result": "pass", "grace_seconds": 60, "reviewer": "ana" }] });
    let taken = given.app.post("/reviews/batch", &body).await.expect(200).json();
    assert!(taken["results"][0]["review"]["learns_at"].is_string(), "{taken}");
    given.app.learn().await;
    assert_eq!(given.asked(), 0);

    given.let_grace_pass().await;
    given.app.learn().await;
    assert_eq!(given.asked(), 1);
    let learned = given.app.get(&format!("/traces/{trace}")).await.expect(200).json();
    assert_eq!(learned["review_status"], "reviewed");

    given.withdraw(&trace).await;
    assert!(close(given.q().await, 0.5));
    let retired = format!(
        "memory_stat where retired and memory_id = '{}'",
        learned["created_memory_id"].as_str().unwrap()
    );
    assert_eq!(given.count(&retired).await, 1);
}

#[tokio::test]
async fn a_lesson_that_came_along_waits_for_the_grace_too() {
    let given = given().await;
    let trace = given.run().await;
    let path = format!("/traces/{trace}/review");
    let lesson = json!({ "result": "pass", "reflection": { "summary": "Mine." }, "grace_seconds": 30 });
    let judged = given.app.post(&path, &lesson).await.expect(200).json();
    assert_eq!(judged["created_memory_id"], Value::Null);

    given.let_grace_pass().await;
    given.app.learn().await;
    let learned = given.app.get(&format!("/traces/{trace}")).await.expect(200).json();
    assert!(learned["created_memory_id"].is_string());
    assert_eq!(given.asked(), 0);
    given.app.post(&path, &json!({ "result": "pass", "grace_seconds": 301 })).await.expect(422);
}

#[tokio::test]
async fn a_bulk_review_says_what_it_will_do_does_it_and_is_undone_as_a_whole() {
    const RUNS: usize = 120;
    let given = given().await;
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        runs.push(given.run().await);
    }
    let mut named = runs.clone();
    named.extend(["nonsense".to_owned(), uuid::Uuid::now_v7().to_string()]);
    let body = |dry_run: bool| {
        json!({ "trace_ids": named, "result": "fail", "feedback_text": "Wrong currency.", "alpha": 0.01,
                "grace_seconds": 60, "reviewer": "ana", "dry_run": dry_run })
    };

    let plan = given.bulk(body(true)).await;
    assert_eq!((&plan["traces"], &plan["skipped"], &plan["utilities"]), (&json!(120), &json!(2), &json!(1)));
    assert_eq!((&plan["reflections"], &plan["action_id"]), (&json!(120), &Value::Null));
    let tokens = plan["tokens"].as_u64().unwrap();
    assert!((120_000..400_000).contains(&tokens), "{tokens}");
    assert_eq!(given.count("review").await, 1, "a dry run does nothing");

    // Somebody is faster with one of them.
    given
        .app
        .post("/reviews/batch", &json!({ "reviews": [{ "trace_id": runs[7], "result": "pass" }] }))
        .await
        .expect(200);
    let before = given.q().await;
    let done = given.bulk(body(false)).await;
    assert_eq!((&done["traces"], &done["skipped"]), (&json!(119), &json!(3)));
    let by_hand = (0..119).fold(before, |q, _| q - 0.01 * q);
    assert!((given.q().await - by_hand).abs() < 1e-4);
    let one = given.app.get(&format!("/traces/{}", runs[0])).await.expect(200).json();
    assert!(one["review"]["reviewer"].as_str().unwrap().ends_with("/ana"), "{one}");
    assert_eq!(given.bulk(body(false)).await["action_id"], Value::Null, "nothing was left to do");

    assert_eq!(given.revert(&done["action_id"]).await, 119);
    assert!(close(given.q().await, before));
    assert_eq!(given.revert(&done["action_id"]).await, 0);
    given.let_grace_pass().await;
    given.app.learn().await;
    assert_eq!(given.asked(), 1, "only what was judged by hand was learned from");
    assert_eq!(given.count("action where kind = 'review.bulk'").await, 1);
}

#[tokio::test]
async fn a_bulk_review_by_filter_leaves_alone_what_others_look_at() {
    let given = given().await;
    let runs = [given.run().await, given.run().await, given.run().await, given.run().await];
    let lease = json!({ "count": 1, "order": "oldest", "reviewer": "ben" });
    given.app.post("/review-queue/next", &lease).await.expect(200);
    given.app.post(&format!("/traces/{}/defer", runs[1]), &json!({ "seconds": 60 })).await.expect(200);
    let mine = json!({ "count": 1, "order": "oldest", "reviewer": "ana" });
    given.app.post("/review-queue/next", &mine).await.expect(200);

    let body =
        json!({ "filter": { "task": "parse" }, "result": "pass", "grace_seconds": 60, "reviewer": "ana" });
    let done = given.bulk(body).await;

    assert_eq!((&done["traces"], &done["skipped"], &done["left"]), (&json!(2), &json!(0), &json!(0)));
    for (at, reviewed) in [false, false, true, true].into_iter().enumerate() {
        let trace = given.app.get(&format!("/traces/{}", runs[at])).await.expect(200).json();
        assert_eq!(trace["review"].is_object(), reviewed, "run {at}");
    }
    for bad in [
        json!({ "result": "pass" }),
        json!({ "result": "pass", "trace_ids": [], "filter": {} }),
        json!({ "result": "fail", "trace_ids": [], "feedback_text": " " }),
        json!({ "result": "pass", "trace_ids": vec!["x"; 1001] }),
        json!({ "result": "pass", "trace_ids": [], "grace_seconds": 301 }),
    ] {
        given.app.post("/reviews/bulk", &bad).await.expect(422);
    }
}
