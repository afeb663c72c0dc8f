//! Loop health over HTTP: a healthy loop, and for each check the same loop broken in that one way.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reflect_engine::{Models, judge_identity};
use reflect_model::scripted::ScriptedModel;
use reflect_model_providers::{ProviderKind, ProviderSettings, ProviderText};
use reflect_scripted_provider::{ChatBehaviour, EndpointScript, Script, ScriptedProvider};
use reflect_server::ServerSettings;
use reflect_test_support::{TestApp, send};
use reflect_types::{JudgeSettings, MemberRole, ProjectSlug, Scope};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Executor};
use uuid::{NoContext, Timestamp, Uuid};

const CHECKS: [&str; 14] = [
    "always_empty",
    "credit_lost",
    "duplicates",
    "flat_utilities",
    "grouping_unfinished",
    "judge_unreliable",
    "keys_expiring",
    "nobody_reviews",
    "one_memory_everywhere",
    "open_questions",
    "reflection_failing",
    "sdk_losing_data",
    "use_unreliable",
    "vague_feedback",
];

/// The levels of a loop as it should be. No client of it says which memories it used, so that is not measured.
fn healthy_levels() -> BTreeMap<String, String> {
    let level = |check: &str| if check == "use_unreliable" { "unknown" } else { "ok" };
    CHECKS.map(|check| (check.to_owned(), level(check).to_owned())).into()
}

/// A task that shares no word with any other.
fn task(number: usize) -> String {
    ["pack", "send", "bill", "call", "file"].map(|word| format!("{word}{number}")).join(" ")
}

fn run(number: usize) -> Value {
    json!({ "task": task(number), "trajectory": [{ "role": "assistant", "content": "done" }] })
}

/// A run whose reviewer wrote the lesson, so that it is a memory at once. Every second one failed.
fn taught(number: usize) -> Value {
    let mut run = run(number);
    run["review"] = json!({
        "result": if number.is_multiple_of(2) { "pass" } else { "fail" },
        "feedback_text": "The total left the shipping out.",
        "reflection": { "summary": format!("Lesson {number}.") },
    });
    run
}

/// An id that a client made ten days ago.
fn old_id() -> Uuid {
    let then = SystemTime::now() - Duration::from_secs(10 * 24 * 60 * 60);
    let seconds = then.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, 0))
}

async fn store(app: &TestApp, runs: Vec<Value>) -> Vec<Value> {
    let mut results = Vec::new();
    for batch in runs.chunks(100) {
        let stored = app.post("/traces/batch", &json!({ "traces": batch })).await.expect(200).json();
        results.extend(stored["results"].as_array().unwrap().clone());
    }
    assert!(results.iter().all(|result| result["error"].is_null()), "{results:?}");
    results
}

async fn query(app: &TestApp, number: usize) -> Value {
    app.post("/memory/query", &json!({ "task": task(number) })).await.expect(200).json()
}

async fn report(app: &TestApp, client: &str, dropped: u64, spooled: u64) {
    let body = json!({ "client": client, "sdk": "reflect-sdk 1.0", "dropped": dropped, "spooled": spooled });
    let answer = app.post("/client-reports", &body).await.expect(204);
    assert!(answer.bytes.is_empty());
}

async fn sql(app: &TestApp, statement: &str) {
    app.db.superuser().await.execute(AssertSqlSafe(statement.to_owned())).await.unwrap();
}

/// A loop as it should be. When runs name memories that are not there, reviews move nothing.
async fn given_loop(app: &TestApp, memories_are_there: bool) -> Vec<Value> {
    let old = (0..30).map(|number| {
        let mut run = taught(number);
        run["trace_id"] = json!(old_id());
        run
    });
    let taught_by_old = store(app, old.collect()).await;
    let memories: Vec<Value> = taught_by_old.iter().map(|run| run["created_memory_id"].clone()).collect();
    let new = (0..40).map(|number| {
        let mut run = taught(100 + number);
        let there = &memories[number % memories.len()];
        run["retrieved_memory_ids"] =
            if memories_are_there { json!([there]) } else { json!([Uuid::now_v7()]) };
        run
    });
    store(app, new.collect()).await;
    for (number, memory) in memories.iter().enumerate().take(24) {
        let found = query(app, number).await;
        assert!(found.as_array().unwrap().iter().any(|found| found["id"] == *memory), "{found}");
    }
    report(app, "host-1", 0, 0).await;
    memories
}

async fn given_healthy() -> TestApp {
    let app = TestApp::start().await;
    given_loop(&app, true).await;
    app
}

async fn health(app: &TestApp) -> Value {
    app.get("/loop-health").await.expect(200).json()
}

fn levels(health: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let checks = health["checks"].as_array().unwrap();
    checks.iter().map(|check| (text(&check["check"]), text(&check["level"]))).collect()
}

/// Expects that one check has turned and all others are ok, and gives what it says.
async fn turned(app: &TestApp, check: &str, level: &str) -> Value {
    let health = health(app).await;
    let mut expected = healthy_levels();
    expected.insert(check.to_owned(), level.to_owned());
    assert_eq!(levels(&health), expected, "{health:#}");
    assert_eq!((&health["status"], &health["checks"][0]["check"]), (&json!(level), &json!(check)));
    let finding = health["checks"][0].clone();
    assert!(finding["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{finding}");
    finding
}

#[tokio::test]
async fn a_healthy_loop_passes_every_check() {
    let app = given_healthy().await;
    let health = health(&app).await;
    assert_eq!(health["status"], "ok", "{health:#}");
    assert_eq!(levels(&health), healthy_levels(), "{health:#}");
    for check in health["checks"].as_array().unwrap() {
        assert!(check["fix"].is_null() && check["numbers"].is_object(), "{check}");
    }
}

#[tokio::test]
async fn of_a_new_project_nothing_is_known_and_a_neighbours_troubles_are_not_its_own() {
    let app = TestApp::start().await;
    store(
        &app,
        (0..30)
            .map(|number| {
                let mut run = run(number);
                run["trace_id"] = json!(old_id());
                run
            })
            .collect(),
    )
    .await;
    report(&app, "host-1", 9, 9).await;
    assert_eq!(health(&app).await["status"], "failing");
    let other: ProjectSlug = "other".parse().unwrap();
    let key = app.new_key(Some(&other), Scope::ALL).await;

    let theirs =
        app.send("GET", "/v1/projects/other/loop-health", Some(&key), &[], None).await.expect(200).json();

    assert_eq!(theirs["status"], "unknown");
    let expected = CHECKS.map(|check| {
        let level = if check == "keys_expiring" { "ok" } else { "unknown" };
        (check.to_owned(), level.to_owned())
    });
    assert_eq!(levels(&theirs), expected.into());
}

#[tokio::test]
async fn runs_that_nobody_reviews_are_noticed() {
    let app = given_healthy().await;
    let unreviewed = (0..130).map(|number| {
        let mut run = run(1000 + number);
        run["trace_id"] = json!(old_id());
        run
    });
    store(&app, unreviewed.collect()).await;
    let finding = turned(&app, "nobody_reviews", "failing").await;
    assert_eq!(finding["numbers"], json!({ "runs": 160, "unreviewed": 130 }));
    assert!(finding["message"].as_str().unwrap().contains("130 of 160"), "{finding}");
}

#[tokio::test]
async fn runs_that_do_not_say_what_they_were_given_are_noticed() {
    let app = TestApp::start().await;
    let memories = given_loop(&app, true).await;
    let silent = (0..24).map(|number| {
        let mut run = run(number);
        if number >= 12 {
            let prompt = format!("<memory id=\"{}\">do this</memory>", memories[number].as_str().unwrap());
            run["trajectory"] = json!([{ "role": "user", "content": prompt }]);
        }
        run
    });
    store(&app, silent.collect()).await;
    let finding = turned(&app, "credit_lost", "warning").await;
    let numbers = json!({ "runs_with_memories": 64, "inferred": 12, "found_in_trajectory": 12 });
    assert_eq!(finding["numbers"], numbers, "{finding}");
    assert!(finding["fix"].as_str().unwrap().contains("retrieval_id"), "{finding}");
}

#[tokio::test]
async fn retrievals_that_give_nothing_are_noticed() {
    let app = given_healthy().await;
    for number in 0..40 {
        let body = json!({ "task": format!("please {}", task(number)), "similarity_threshold": 0.99 });
        let found = app.post("/memory/query", &body).await.expect(200).json();
        assert_eq!(found, json!([]));
    }
    let finding = turned(&app, "always_empty", "failing").await;
    assert_eq!((&finding["numbers"]["retrievals"], &finding["numbers"]["empty"]), (&json!(64), &json!(40)));
    let near_miss = finding["numbers"]["near_miss"].as_f64().unwrap();
    assert!((0.8..0.99).contains(&near_miss), "{near_miss}");
    assert!(finding["fix"].as_str().unwrap().contains("similarity_threshold"), "{finding}");

    // What was held out gave nothing on purpose.
    sql(&app, "update retrieval set held_out = true where served = 0").await;
    turned_none(&app).await;
}

#[tokio::test]
async fn lookups_of_members_in_the_console_do_not_count() {
    let app = given_healthy().await;
    let session = app.browser().sign_in(MemberRole::Viewer, None).await;
    let path = app.browser().path("/memory/query");
    let found = json!({ "task": task(3) });
    let empty = json!({ "task": format!("please {}", task(3)), "similarity_threshold": 0.99 });
    for body in [&found, &empty].repeat(40) {
        app.browser().send("POST", &path, Some(&session), Some(body)).await.expect(200);
    }
    turned_none(&app).await;
}

#[tokio::test]
async fn what_was_asked_before_the_first_memory_could_not_be_found() {
    let app = TestApp::start().await;
    for number in 0..30 {
        assert_eq!(query(&app, number).await, json!([]));
    }
    given_loop(&app, true).await;
    turned_none(&app).await;
}

#[tokio::test]
async fn utilities_that_no_review_moves_are_noticed() {
    let app = TestApp::start().await;
    given_loop(&app, false).await;
    let finding = turned(&app, "flat_utilities", "failing").await;
    assert_eq!(finding["numbers"], json!({ "memories": 70, "flat": 70, "reviews": 70 }));
}

#[tokio::test]
async fn a_model_that_refuses_to_write_lessons_is_noticed_with_its_words() {
    let refusal = ChatBehaviour::Status { code: 401, retry_after: None, message: None };
    let script = Script { chat: EndpointScript::always(refusal), ..Script::default() };
    let provider = ScriptedProvider::start(script).await.unwrap();
    let settings = ProviderSettings {
        base_url: Some(provider.base_url()),
        ..ProviderSettings::new(ProviderKind::OpenAi, "scripted")
    };
    let text = ProviderText::connect(&settings).unwrap();
    let models = Models { text: Some(Arc::new(text)), ..reflect_test_support::scripted_models() };
    let app = TestApp::with_models(models, ServerSettings::default()).await;
    given_loop(&app, true).await;
    turned_none(&app).await;
    let mut failed = run(500);
    failed["review"] = json!({ "result": "fail", "feedback_text": "The total left the shipping out." });
    store(&app, vec![failed]).await;

    app.learn().await;

    let finding = turned(&app, "reflection_failing", "warning").await;
    assert_eq!(finding["numbers"], json!({ "reviews": 71, "given_up": 1, "waiting_after_an_error": 0 }));
    assert!(finding["message"].as_str().unwrap().contains("wants an API key (401)"), "{finding}");
    assert!(finding["fix"].as_str().unwrap().contains("/retry"), "{finding}");
}

async fn turned_none(app: &TestApp) {
    let health = health(app).await;
    assert_eq!(health["status"], "ok", "{health:#}");
}

#[tokio::test]
async fn feedback_that_says_nothing_is_noticed() {
    let app = given_healthy().await;
    let vague = (0..45).map(|number| {
        let mut run = run(1000 + number);
        run["review"] = json!({ "result": "fail", "feedback_text": "  it was bad.     " });
        run
    });
    store(&app, vague.collect()).await;
    let finding = turned(&app, "vague_feedback", "warning").await;
    assert_eq!(finding["numbers"], json!({ "reviews": 115, "fails": 80, "vague": 45 }));
}

#[tokio::test]
async fn a_judge_that_says_otherwise_than_people_is_noticed() {
    let models =
        Models { judge: Some(Arc::new(ScriptedModel::new())), ..reflect_test_support::scripted_models() };
    let app = TestApp::with_models(models, ServerSettings::default()).await;
    given_loop(&app, true).await;
    let on = json!({ "judge": { "enabled": true } });
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&on)).await.expect(200);
    let judge = judge_identity(&JudgeSettings { enabled: true, ..JudgeSettings::default() }, "scripted");
    let digest: String = judge.rubric_digest.iter().map(|byte| format!("{byte:02x}")).collect();
    // On 24 runs, half of them good, it had said blindly what people say.
    let judged = format!(
        "insert into judgement (project_id, trace_id, verdict, model, rubric_digest, blind)
         select project_id, trace_id, passed::int, 'scripted', '\\x{digest}', true from review
         order by review_id limit 24"
    );
    sql(&app, &judged).await;
    assert_eq!(levels(&health(&app).await)["judge_unreliable"], "ok");

    // Wrong on every fourth.
    let wrong = "update judgement set verdict = 1 - verdict where trace_id in
                 (select trace_id from judgement order by trace_id limit 6)";
    sql(&app, wrong).await;
    let finding = turned(&app, "judge_unreliable", "warning").await;
    assert_eq!((&finding["numbers"]["compared"], &finding["numbers"]["agreed"]), (&json!(24), &json!(18)));

    // Always the same: right on half of them, and it knows nothing.
    sql(&app, "update judgement set verdict = 1").await;
    let finding = turned(&app, "judge_unreliable", "failing").await;
    assert_eq!(finding["numbers"]["stopped"], true);
    assert!(finding["message"].as_str().unwrap().contains("agrees with people on 12 of 24"), "{finding}");

    // What was said under another rubric, or with another model, or not blindly, is not held against this one.
    for other in ["model = 'another'", "blind = false", "rubric_digest = sha256('another')"] {
        sql(&app, &format!("begin; delete from judgement; {judged}; update judgement set {other}; commit"))
            .await;
        assert_eq!(levels(&health(&app).await)["judge_unreliable"], "unknown", "{other}");
    }
    // Nor is a verdict that was taken back.
    sql(
        &app,
        &format!("begin; delete from judgement; {judged}; update review set withdrawn_at = now(); commit"),
    )
    .await;
    assert_eq!(levels(&health(&app).await)["judge_unreliable"], "unknown");
}

#[tokio::test]
async fn memories_that_repeat_each_other_are_noticed() {
    let app = given_healthy().await;
    // In other words, because equal lessons are one lesson.
    let again = (0..15).map(|number| {
        let mut run = taught(27);
        run["review"]["reflection"] = json!({ "summary": format!("Lesson 27 in words of kind {number}.") });
        run
    });
    store(&app, again.collect()).await;
    let finding = turned(&app, "duplicates", "warning").await;
    assert_eq!(finding["numbers"], json!({ "sampled": 85, "doubled": 16 }));
}

#[tokio::test]
async fn a_memory_that_is_served_everywhere_is_noticed() {
    let app = TestApp::start().await;
    let memories = given_loop(&app, true).await;
    for _ in 0..20 {
        query(&app, 3).await;
    }
    let finding = turned(&app, "one_memory_everywhere", "warning").await;
    assert_eq!((&finding["numbers"]["retrievals"], &finding["numbers"]["times"]), (&json!(44), &json!(21)));
    assert!(finding["message"].as_str().unwrap().contains(memories[3].as_str().unwrap()), "{finding}");

    // Taken out of use, it is no trouble any more.
    sql(
        &app,
        &format!(
            "update memory_stat set retired = true where memory_id = {}",
            memories[3].to_string().replace('"', "'")
        ),
    )
    .await;
    assert_eq!(levels(&health(&app).await)["one_memory_everywhere"], "ok");
}

#[tokio::test]
async fn clients_that_lose_runs_are_noticed_until_they_say_otherwise() {
    let app = given_healthy().await;
    report(&app, "host-2", 0, 5).await;
    turned(&app, "sdk_losing_data", "warning").await;
    report(&app, "host-2", 3, 5).await;
    let finding = turned(&app, "sdk_losing_data", "failing").await;
    assert_eq!(finding["numbers"], json!({ "clients": 2, "losing": 1, "dropped": 3, "spooled": 5 }));
    assert!(finding["message"].as_str().unwrap().contains("host-2 (reflect-sdk 1.0)"), "{finding}");

    report(&app, "host-2", 0, 0).await;
    turned_none(&app).await;
    report(&app, "host-2", 3, 5).await;
    sql(&app, "update client_report set reported_at = now() - interval '25 hours' where client = 'host-2'")
        .await;
    turned_none(&app).await;
}

#[tokio::test]
async fn reports_of_clients_that_are_gone_are_removed() {
    let app = TestApp::start().await;
    report(&app, "gone", 1, 1).await;
    report(&app, "quiet", 1, 1).await;
    sql(&app, "update client_report set reported_at = now() - interval '8 days' where client = 'gone'").await;
    sql(&app, "update client_report set reported_at = now() - interval '6 days' where client = 'quiet'")
        .await;

    report(&app, "here", 0, 0).await;

    let left: Vec<String> = sqlx::query_scalar("select client from client_report order by client")
        .fetch_all(&mut app.db.superuser().await)
        .await
        .unwrap();
    assert_eq!(left, ["here", "quiet"]);
}

#[tokio::test]
async fn a_bad_report_is_refused() {
    let app = TestApp::start().await;
    for (body, field) in [
        (json!({}), "client"),
        (json!({ "client": " " }), "client"),
        (json!({ "client": "x".repeat(201) }), "client"),
        (json!({ "client": "a", "dropped": -1 }), "-1"),
        (json!({ "client": "a", "spooled": u64::MAX }), "spooled"),
    ] {
        let refused = app.post("/client-reports", &body).await.expect(422).json();
        assert!(refused["error"]["message"].as_str().unwrap().contains(field), "{refused}");
    }
    app.post("/client-reports", &json!({ "client": "a\u{0}", "sdk": null })).await.expect(204);
}

#[tokio::test]
async fn keys_that_expire_are_noticed_before_and_after() {
    let app = given_healthy().await;
    let answer = app.get("/loop-health").await.expect(200);
    assert!(answer.header("reflect-warning").is_none());
    let id = &app.key["rf_live_".len()..][..8];

    sql(
        &app,
        &format!("update api_key set expires_at = now() + interval '13 days' where public_id = '{id}'"),
    )
    .await;
    let (_, fresh) = app.another().await;
    let request =
        axum::http::Request::get(app.path("/traces")).header("authorization", format!("Bearer {}", app.key));
    let warned = send(&fresh, request.body(axum::body::Body::empty()).unwrap()).await.expect(200);
    let warning = warned.header("reflect-warning").unwrap();
    assert!(warning.contains(id) && warning.contains("reflect keys rotate"), "{warning}");
    let finding = turned(&app, "keys_expiring", "warning").await;
    assert!(finding["message"].as_str().unwrap().contains(id), "{finding}");

    // The client goes on with a key that has expired.
    let watcher = app.new_key(Some(&app.project), Scope::ALL).await;
    sql(&app, &format!("update api_key set expires_at = now() - interval '1 hour' where public_id = '{id}'"))
        .await;
    let path = app.path("/loop-health");
    let health = app.send("GET", &path, Some(&watcher), &[], None).await.expect(200).json();
    assert_eq!(health["checks"][0]["check"], "keys_expiring", "{health}");
    assert_eq!(health["checks"][0]["level"], "failing", "{health}");
}

#[tokio::test]
async fn a_project_that_does_not_infer_use_is_not_warned_about_it() {
    let app = TestApp::start().await;
    store(&app, vec![taught(0)]).await;
    // Used and unused lessons have the same similarities.
    let guessing = "insert into learning_stat (project_id, use_found, use_unused)
                    select project_id, array_fill(5, array[20]), array_fill(5, array[20]) from memory limit 1
                    on conflict (project_id, only_row) do update
                    set use_found = excluded.use_found, use_unused = excluded.use_unused";
    sql(&app, guessing).await;
    for (infer_use, level) in [(true, "warning"), (false, "unknown")] {
        let change = json!({ "lessons": { "infer_use": infer_use } });
        app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&change)).await.expect(200);
        assert_eq!(levels(&health(&app).await)["use_unreliable"], level);
    }
}
