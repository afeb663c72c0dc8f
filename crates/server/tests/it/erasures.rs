//! Forgetting one run or one subject, and what a project keeps for a time only.

use reflect_store::{Erased, MaintenanceStep};
use reflect_test_support::{TestApp, TestResponse};
use reflect_types::ProjectId;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Executor};

const NONE: [String; 0] = [];

fn run(subject: &str, canary: &str) -> Value {
    json!({
        "task": format!("{canary} task"), "final_response": format!("{canary} response"), "model": format!("{canary} model"),
        "trajectory": [{ "role": "assistant", "content": format!("{canary} said") }],
        "reference_context": format!("{canary} reference"), "retrieved_memory_ids": [format!("{canary} memory")],
        "metadata": { "subject": subject, "note": format!("{canary} note") },
    })
}

/// A subject with runs of every kind, and everything that can come of them.
async fn given_subject(app: &TestApp, subject: &str, canary: &str) {
    let lesson = json!({ "summary": format!("{canary} summary"), "guidance": format!("{canary} guidance") });
    let feedback = format!("{canary} feedback");
    app.post("/memory/query", &json!({ "task": format!("{canary} task") })).await.expect(200);
    let plain =
        app.post_once("/traces", &format!("{canary} key"), &run(subject, canary)).await.expect(201).json();
    let mut inline = run(subject, canary);
    inline["review"] = json!({ "result": "fail", "feedback_text": feedback });
    app.post("/traces", &inline).await.expect(202);
    let mut authored = run(subject, canary);
    authored["review"] = json!({ "result": "pass", "reflection": lesson });
    app.post("/traces/batch", &json!({ "traces": [authored] })).await.expect(200);
    app.learn().await;
    let review = format!("/traces/{}/review", plain["id"].as_str().unwrap());
    app.post(&review, &json!({ "result": "fail", "feedback_text": feedback, "reflection": lesson }))
        .await
        .expect(200);
    let replaced =
        json!({ "result": "pass", "feedback_text": feedback, "reflection": lesson, "replace": true });
    // Once to replace, and once to find it there already: both keys are kept.
    for time in ["first", "again"] {
        app.post_once(&review, &format!("{canary} review {time}"), &replaced).await.expect(200);
    }
    app.post_once("/skill/create", &format!("{canary} skill"), &json!({})).await.expect(201);
    app.post("/memory/query", &json!({ "task": format!("{canary} task") })).await.expect(200);
    let mut waiting = run(subject, canary);
    waiting["review"] = json!({ "result": "fail", "feedback_text": feedback });
    app.post("/traces", &waiting).await.expect(202);
    for table in ["trace", "trace_body", "review", "memory", "retrieval", "idempotency", "skill"] {
        let found = app.db.tables_with(canary).await;
        assert!(found.iter().any(|name| name.contains(&format!(".{table}_"))), "{table}: {found:?}");
    }
}

/// A run with its lesson. Returns its trace and its memory.
async fn taught(app: &TestApp, task: &str, linked: &[&Value], lesson: Value) -> (Value, Value) {
    let body = json!({ "task": task, "trajectory": [], "retrieved_memory_ids": linked,
                       "review": { "result": "pass", "reflection": lesson } });
    let stored = app.post("/traces", &body).await.expect(201).json();
    (stored["trace_id"].clone(), stored["created_memory_id"].clone())
}

#[tokio::test]
async fn a_skill_goes_with_the_run_whose_words_it_has() {
    let app = TestApp::start().await;
    let advice = |guidance: &str| json!({ "guidance": guidance, "correct_action": "send the reset link" });
    let ann = "reset the password of ann";
    let (trace, founder) = taught(&app, ann, &[], advice("canary-words")).await;
    let (_, best) = taught(&app, "reset the password of bob", &[], advice("Send it.")).await;
    assert_ne!(best, founder);
    // The other memory of the lesson has the higher value, and the words are still those of the first.
    taught(&app, "bake a bread", &[&best], json!({ "guidance": "Heat the oven." })).await;
    let skill = app.post("/skill/create", &json!({ "n_passed": 1, "n_failed": 0 })).await.expect(201).json();
    assert!(skill["content"].as_str().unwrap().contains("canary-words"), "{skill}");
    let sources = skill["memory_ids"].as_array().unwrap();
    assert!(sources.contains(&founder) && sources.contains(&best), "{skill}");

    let erased = id(app.post("/erasures", &json!({ "trace_id": trace })).await);
    app.learn().await;

    assert_eq!(erasure(&app, &erased).await["state"], "done");
    assert_eq!(app.db.tables_with("canary-words").await, NONE);
    app.get("/skill").await.expect(404);
}

async fn erasure(app: &TestApp, id: &str) -> Value {
    app.get(&format!("/erasures/{id}")).await.expect(200).json()
}

fn id(answer: TestResponse) -> String {
    answer.expect(202).json()["id"].as_str().unwrap().to_owned()
}

async fn project(app: &TestApp) -> ProjectId {
    app.app.engine().store.catalogue().find_project(&app.project).await.unwrap().unwrap()
}

async fn count(app: &TestApp, query: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(query.to_owned()))
        .fetch_one(&mut app.db.superuser().await)
        .await
        .unwrap()
}

#[tokio::test]
async fn nothing_that_was_said_of_a_subject_is_left_and_nobody_else_loses_a_word() {
    let app = TestApp::start().await;
    given_subject(&app, "bob", "canary-bob").await;
    // Written from the lessons of both, so that it has to go with either.
    given_subject(&app, "ann", "canary-ann").await;
    // The planner's samples would quote rows, also of a table that is empty by then.
    app.db.superuser().await.execute("analyze").await.unwrap();
    let before = app.db.tables_with("canary-ann").await;
    let others = app.db.tables_with("canary-bob").await;
    assert!(before.len() > 5 && !before.contains(&"pg_catalog.pg_statistic".to_owned()), "{before:?}");
    let ledger = count(&app, "select count(*) from utility_event").await;
    let reviews = count(&app, "select count(*) from review").await;

    let erased = id(app.post("/erasures", &json!({ "subject": "ann" })).await);
    assert_eq!(erasure(&app, &erased).await["state"], "waiting");
    app.learn().await;

    let report = erasure(&app, &erased).await;
    assert_eq!((&report["state"], &report["traces"]), (&json!("done"), &json!(4)), "{report}");
    assert_eq!(app.db.tables_with("canary-ann").await, NONE);
    assert_eq!(app.db.tables_with("canary-bob").await, others);
    assert_eq!(count(&app, "select count(*) from utility_event").await, ledger, "the ledger stays");
    assert_eq!(count(&app, "select count(*) from review").await, reviews, "reviews stay as numbers");
    assert_eq!(count(&app, "select count(*) from erasure where subject is not null").await, 0);
    let of = |table: &str| report["removed"][table].as_u64().unwrap();
    assert_eq!((of("trace"), of("trace_body"), of("trace_state")), (4, 4, 4));
    assert!(of("memory") >= 3 && of("memory_stat") == of("memory") && of("skill") >= 1, "{report}");
    assert!(of("retrieval") >= 2 && of("idempotency") >= 3 && of("review") >= 4, "{report}");
    assert!(report["copies"].to_string().contains("write-ahead log"), "{report}");
    let erased_memories = "select count(*) from memory_stat where presence = 4";
    assert_eq!(count(&app, erased_memories).await.unsigned_abs(), of("memory"));
    let found = app.post("/memory/query", &json!({ "task": "canary-bob task" })).await.expect(200).json();
    assert!(!found.as_array().unwrap().is_empty());
}

#[tokio::test]
async fn an_erasure_that_was_cut_short_goes_on_to_the_same_end() {
    let app = TestApp::start().await;
    for _ in 0..2 {
        let runs: Vec<Value> = (0..60).map(|_| run("ann", "canary-ann")).collect();
        app.post("/traces/batch", &json!({ "traces": runs })).await.expect(200);
    }
    app.post("/traces", &run("bob", "canary-bob")).await.expect(201);
    let erased = id(app.post_once("/erasures", "once", &json!({ "subject": "ann" })).await);
    assert_eq!(id(app.post_once("/erasures", "once", &json!({ "subject": "ann" })).await), erased);
    let ctx = app.app.engine().store.project(project(&app).await);

    assert_eq!(ctx.erasures().erase_batch(erased.parse().unwrap()).await.unwrap(), Erased::Some);
    let halfway = erasure(&app, &erased).await;
    assert_eq!((&halfway["state"], &halfway["traces"]), (&json!("running"), &json!(50)));
    assert!(!app.db.tables_with("canary-ann").await.is_empty());
    // Its job is lost too; maintenance finds that out.
    let mut database = app.db.superuser().await;
    database.execute("delete from job").await.unwrap();
    database.execute("update erasure set created_at = now() - interval '1 hour'").await.unwrap();
    app.app.engine().store.maintenance().run().await.unwrap();
    app.learn().await;

    let report = erasure(&app, &erased).await;
    assert_eq!((&report["state"], &report["traces"]), (&json!("done"), &json!(120)));
    assert_eq!(report["removed"]["trace"], 120);
    assert_eq!(app.db.tables_with("canary-ann").await, NONE);
    assert!(!app.db.tables_with("canary-bob").await.is_empty());
    assert_eq!(
        ctx.erasures().erase_batch(erased.parse().unwrap()).await.unwrap(),
        Erased::Before,
        "what is done is done"
    );
}

#[tokio::test]
async fn one_run_can_be_erased_and_its_memory_kept() {
    let app = TestApp::start().await;
    let mut taught = run("ann", "canary-ann");
    taught["review"] = json!({ "result": "pass", "reflection": { "summary": "A lesson worth keeping." } });
    let stored = app.post("/traces", &taught).await.expect(201).json();
    app.post("/traces", &run("ann", "canary-other")).await.expect(201);

    let request = json!({ "trace_id": stored["id"], "memories": "keep" });
    let erased = id(app.post("/erasures", &request).await);
    app.learn().await;

    let report = erasure(&app, &erased).await;
    assert_eq!((&report["traces"], &report["removed"]["memory_kept"]), (&json!(1), &json!(1)));
    app.get(&format!("/traces/{}", stored["id"].as_str().unwrap())).await.expect(404);
    assert!(!app.db.tables_with("canary-other").await.is_empty());
    assert!(!app.db.tables_with("A lesson worth keeping").await.is_empty());
    for body in [json!({}), json!({ "trace_id": stored["id"], "subject": "ann" }), json!({ "subject": " " })]
    {
        app.post("/erasures", &body).await.expect(422);
    }
}

#[tokio::test]
async fn a_masked_subject_is_found_by_its_own_name() {
    let app = TestApp::start().await;
    let change = json!({ "redaction": { "pii": "mask" } });
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&change)).await.expect(200);
    app.post("/traces", &run("ann@example.org", "canary-ann")).await.expect(201);
    app.post("/traces", &run("bob@example.org", "canary-bob")).await.expect(201);

    let erased = id(app.post("/erasures", &json!({ "subject": "ann@example.org" })).await);
    app.learn().await;

    assert_eq!(erasure(&app, &erased).await["traces"], 1);
    assert_eq!(app.db.tables_with("canary-ann").await, NONE);
    assert!(!app.db.tables_with("canary-bob").await.is_empty());
}

#[tokio::test]
async fn a_project_lets_go_of_what_is_older_than_it_keeps() {
    let app = TestApp::start().await;
    let key = Some(app.key.as_str());
    let old = |canary: &str, days: u64| {
        let mut body = run("ann", canary);
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(days * 24 * 60 * 60);
        let seconds = then.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        body["trace_id"] = json!(uuid::Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, seconds, 0)));
        body
    };
    let mut reviewed = old("canary-reviewed", 20);
    reviewed["review"] =
        json!({ "result": "pass", "feedback_text": "canary-feedback", "reflection": { "summary": "s" } });
    let reviewed = app.post("/traces", &reviewed).await.expect(201).json();
    app.post("/traces", &old("canary-old", 20)).await.expect(201);
    app.post("/traces", &old("canary-young", 3)).await.expect(201);
    let ledger = count(&app, "select count(*) from review").await;

    for days in [0, 4000] {
        let change = json!({ "retention": { "traces_days": days } });
        app.send("PATCH", &app.path(""), key, &[], Some(&change)).await.expect(422);
    }
    let change = json!({ "retention": { "traces_days": 10, "bodies_days": 2 } });
    app.send("PATCH", &app.path(""), key, &[], Some(&change)).await.expect(200);
    for _ in 0..2 {
        let budget = std::time::Duration::from_secs(60);
        app.app.engine().maintenance.run_step(MaintenanceStep::Retention, budget).await.unwrap();
    }

    assert_eq!(app.db.tables_with("canary-old").await, NONE);
    assert_eq!(app.db.tables_with("canary-feedback").await, NONE);
    let kept = app.get(&format!("/traces/{}", reviewed["id"].as_str().unwrap())).await.expect(200).json();
    assert_eq!(
        (&kept["task"], &kept["trajectory"], &kept["review"]["result"]),
        (&json!(""), &json!([]), &json!("pass"))
    );
    let words = app.db.tables_with("canary-reviewed").await;
    assert!(words.iter().all(|table| table.contains(".memory_")), "what was learned stays: {words:?}");
    let young = app.db.tables_with("canary-young").await;
    assert!(
        young.iter().any(|table| table.contains(".trace_t"))
            && !young.iter().any(|table| table.contains("trace_body")),
        "{young:?}"
    );
    assert_eq!(count(&app, "select count(*) from review").await, ledger);
}
