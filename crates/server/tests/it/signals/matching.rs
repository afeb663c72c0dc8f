//! Which runs a signal is about, whichever of the two arrives first.

use reflect_test_support::{TestApp, send, trace};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{by, given, number, review, run, set, signal, sql, stored, verdict};

fn about(name: &str, value: &str, outcome: &str) -> Value {
    json!({ "source": "ci", "key": { "name": name, "value": value }, "outcome": outcome })
}

#[tokio::test]
async fn a_signal_about_a_run_that_is_not_there_waits_for_it() {
    let app = given().await;
    let id = Uuid::now_v7().to_string();
    let early = signal(&app, json!({ "source": "ci", "trace_id": id, "outcome": "fail" })).await;
    assert_eq!((&early["status"], &early["trace_ids"]), (&json!("waiting"), &json!([])));
    let by_key = signal(&app, about("commit", "0a1b", "pass")).await;
    assert_eq!(by_key["status"], "waiting");

    let mut arriving = trace();
    arriving["trace_id"] = json!(id);
    let named = stored(&app, &arriving).await;
    // Recorded before the signal, and sent later.
    let mut of_commit = trace();
    of_commit["trace_id"] = json!(id_of_seconds_ago(60));
    of_commit["keys"] = json!({ "commit": "0a1b" });
    let batch = app.post("/traces/batch", &json!({ "traces": [of_commit] })).await.expect(200).json();
    let declared = batch["results"][0]["trace_id"].as_str().unwrap();

    app.learn().await;
    assert_eq!(verdict(&app, &named).await, by("fail", "signal:ci"));
    assert_eq!(verdict(&app, declared).await, by("pass", "signal:ci"));
    assert_eq!(number(&app, "select count(*) from signal where not has_run").await, 0);
}

fn id_of_seconds_ago(seconds: u64) -> Uuid {
    let now = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap();
    Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, now.as_secs() - seconds, 0))
}

async fn run_of(app: &TestApp, seconds_ago: u64, session: &str) -> String {
    let mut run = trace();
    run["trace_id"] = json!(id_of_seconds_ago(seconds_ago));
    run["keys"] = json!({ "session": session, "ticket": "T-1" });
    stored(app, &run).await
}

fn at(seconds_ago: u64) -> Value {
    json!(chrono::DateTime::from_timestamp(
        id_of_seconds_ago(seconds_ago).get_timestamp().unwrap().to_unix().0.cast_signed(),
        0
    ))
}

#[tokio::test]
async fn a_key_means_the_latest_run_before_the_signal_or_all_or_the_only_one() {
    let app = given().await;
    let first = run_of(&app, 300, "s").await;
    let second = run_of(&app, 200, "s").await;
    let third = run_of(&app, 100, "s").await;
    let other = run_of(&app, 250, "t").await;
    let of = async |occurred: u64, session: &str| {
        let mut sent = about("session", session, "pass");
        sent["occurred_at"] = at(occurred);
        signal(&app, sent).await["trace_ids"].clone()
    };

    assert_eq!(of(150, "s").await, json!([second]));
    assert_eq!(of(0, "s").await, json!([third]));
    // None began before: the first of the hour after it. Its id may have been made at its end.
    assert_eq!(of(400, "s").await, json!([first]));
    assert_eq!(of(4_000, "s").await, json!([]));

    set(&app, json!({ "matching": "all" })).await;
    assert_eq!(of(150, "s").await, json!([second, first]));
    set(&app, json!({ "matching": "only" })).await;
    assert_eq!(of(150, "s").await, json!([]));
    assert_eq!(of(150, "t").await, json!([other]));
    assert_eq!(of(250, "s").await, json!([first]));
}

#[tokio::test]
async fn a_run_without_an_id_of_the_client_is_found_although_it_arrives_later() {
    let app = given().await;
    let early = signal(&app, about("commit", "0a1b", "fail")).await;
    assert_eq!(early["status"], "waiting");

    let trace = run(&app, json!({ "commit": "0a1b" })).await;
    app.learn().await;

    assert_eq!(verdict(&app, &trace).await, by("fail", "signal:ci"));
}

#[tokio::test]
async fn a_signal_moves_to_a_run_that_fits_better_whatever_arrives_first() {
    let app = given().await;
    let mut thumb = about("session", "s", "fail");
    (thumb["source"], thumb["occurred_at"]) = (json!("user"), at(100));
    assert_eq!(signal(&app, thumb).await["status"], "waiting");
    // The run after it, then two before it, the later one last.
    let after = run_of(&app, 50, "s").await;
    app.learn().await;
    assert_eq!(verdict(&app, &after).await, by("fail", "signal:user"));

    let first = run_of(&app, 300, "s").await;
    app.learn().await;
    assert_eq!(review(&app, &after).await, Value::Null, "its review is withdrawn");
    assert_eq!(verdict(&app, &first).await, by("fail", "signal:user"));

    let second = run_of(&app, 200, "s").await;
    app.learn().await;

    assert_eq!(review(&app, &first).await, Value::Null);
    assert_eq!(verdict(&app, &second).await, by("fail", "signal:user"));
    assert_eq!(number(&app, "select count(*) from signal_match").await, 1);
    // A run of another time changes nothing.
    run_of(&app, 250, "s").await;
    app.learn().await;
    assert_eq!(verdict(&app, &second).await, by("fail", "signal:user"));
}

#[tokio::test]
async fn a_run_that_is_gone_is_not_waited_for() {
    let app = given().await;
    let trace = run(&app, json!({})).await;
    super::reported(&app, "merge", &trace, "pass").await;
    app.learn().await;
    assert_eq!(number(&app, "select count(*) from signal_wait").await, 1);

    // As retention does.
    sql(&app, "delete from trace_state; delete from trace").await;
    super::hours_later(&app, 80).await;
    app.learn().await;

    assert_eq!(number(&app, "select count(*) from signal_wait").await, 0);
}

#[tokio::test]
async fn a_signal_about_the_only_run_does_not_take_the_next_one_of_several() {
    let app = given().await;
    set(&app, json!({ "matching": "only" })).await;
    for seconds_ago in [300, 200] {
        run_of(&app, seconds_ago, "s").await;
    }
    assert_eq!(signal(&app, about("session", "s", "fail")).await["trace_ids"], json!([]));
    assert_eq!(signal(&app, about("session", "t", "fail")).await["trace_ids"], json!([]));

    let (third, only) = (run_of(&app, 100, "s").await, run_of(&app, 100, "t").await);
    app.learn().await;

    assert_eq!(review(&app, &third).await, Value::Null);
    assert_eq!(verdict(&app, &only).await, by("fail", "signal:ci"));
}

#[tokio::test]
async fn a_signal_about_all_runs_of_a_key_finds_those_that_arrive_later_too() {
    let app = given().await;
    set(&app, json!({ "matching": "all" })).await;
    let first = run_of(&app, 100, "s").await;
    let accepted = signal(&app, about("session", "s", "fail")).await;
    assert_eq!(accepted["trace_ids"], json!([first]));

    let late = run_of(&app, 50, "s").await;
    app.learn().await;

    for trace in [&first, &late] {
        assert_eq!(verdict(&app, trace).await, by("fail", "signal:ci"));
    }
}

#[tokio::test]
async fn a_process_that_does_not_know_yet_that_the_project_has_signals_loses_none() {
    let app = given().await;
    let (other, service) = app.another().await;
    // The other process reads and keeps the facts of the project.
    let path = app.path("/traces");
    let post = async |body: &Value| {
        let request = axum::http::Request::post(&path)
            .header("authorization", format!("Bearer {}", app.key))
            .header("content-type", "application/json")
            .body(axum::body::Body::from(body.to_string()))
            .unwrap();
        send(&service, request).await.expect(201).json()
    };
    post(&trace()).await;
    let early = signal(&app, about("commit", "0a1b", "fail")).await;
    assert_eq!(early["status"], "waiting");

    let mut run = trace();
    run["trace_id"] = json!(id_of_seconds_ago(5));
    run["keys"] = json!({ "commit": "0a1b" });
    let stored = post(&run).await["trace_id"].as_str().unwrap().to_owned();
    app.learn().await;
    assert_eq!(
        review(&app, &stored).await,
        Value::Null,
        "the test must see a signal that the run did not find"
    );

    // A minute later the signal is looked at again.
    sql(&app, "update job set run_at = now() where kind = 4").await;
    app.learn().await;
    assert_eq!(verdict(&app, &stored).await, by("fail", "signal:ci"));
    drop(other);
}

#[tokio::test]
async fn the_keys_of_a_run_are_part_of_it() {
    let app = given().await;
    let mut sent = trace();
    sent["trace_id"] = json!(Uuid::now_v7());
    sent["keys"] = json!({ "session": "s", "pull_request": "12" });
    let id = stored(&app, &sent).await;

    let found = app.get(&format!("/traces/{id}")).await.expect(200).json();
    assert_eq!(found["keys"], json!({ "pull_request": "12", "session": "s" }));
    app.post("/traces", &sent).await.expect(201);
    sent["keys"]["session"] = json!("other");
    app.post("/traces", &sent).await.expect(409);
    let without = run(&app, json!(null)).await;
    let found = app.get(&format!("/traces/{without}")).await.expect(200).json();
    assert_eq!(found.get("keys"), None, "an earlier client sees what it knows");

    for bad in [json!({ "trace_id": "x" }), json!({ "a": "" }), json!({ "A": "x" })] {
        let mut sent = trace();
        sent["keys"] = bad.clone();
        assert_eq!(app.post("/traces", &sent).await.status.as_u16(), 422, "{bad}");
    }
}

#[tokio::test]
async fn a_masked_key_still_finds_its_run() {
    let app = given().await;
    let masked = json!({ "redaction": { "pii": "mask" } });
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&masked)).await.expect(200);
    let ana = run(&app, json!({ "session": "ana@example.com" })).await;
    let bob = run(&app, json!({ "session": "bob@example.com" })).await;

    let found = signal(&app, about("session", "ana@example.com", "fail")).await;

    assert_eq!(found["trace_ids"], json!([ana]));
    assert_ne!(ana, bob);
    assert_eq!(app.db.tables_with("ana@example.com").await, Vec::<String>::new());
}

/// Makes all signals older than 30 days. Partitions of runs reach 31 days back.
async fn a_month_later(app: &TestApp) {
    let older =
        "(left(uuid_at(now() - interval '30 days 1 hour')::text, 13) || substr(signal_id::text, 14))::uuid";
    // In one transaction, which has one time.
    sql(app, &format!("update signal set signal_id = {older}; update signal_match set signal_id = {older}"))
        .await;
}

#[tokio::test]
async fn a_signal_that_no_run_had_is_removed_after_thirty_days() {
    let app = given().await;
    signal(&app, about("commit", "never", "fail")).await;
    let trace = run(&app, json!({})).await;
    super::reported(&app, "ci", &trace, "fail").await;
    let store = &app.app.engine().store;
    store.maintenance().run().await.unwrap();
    assert_eq!(number(&app, "select count(*) from signal").await, 2);

    a_month_later(&app).await;
    store.maintenance().run().await.unwrap();

    assert_eq!(number(&app, "select count(*) from signal").await, 1, "the other one has a run");
}

#[tokio::test]
async fn a_signal_about_all_runs_waits_for_no_further_ones_after_thirty_days() {
    let app = given().await;
    set(&app, json!({ "matching": "all" })).await;
    run_of(&app, 100, "s").await;
    signal(&app, about("session", "s", "fail")).await;
    let waiting = "select count(*) from signal where open";
    assert_eq!(number(&app, waiting).await, 1);

    a_month_later(&app).await;
    app.app.engine().store.maintenance().run().await.unwrap();

    assert_eq!(number(&app, waiting).await, 0);
    assert_eq!(number(&app, "select count(*) from signal_match").await, 1);
}
