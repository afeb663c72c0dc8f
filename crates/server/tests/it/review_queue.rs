//! The review queue: who is given which trace, for how long, in which order, and what they are shown.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use reflect_engine::Models;
use reflect_server::ServerSettings;
use reflect_test_support::{TestApp, trace};
use reflect_types::Scope;
use serde_json::{Value, json};
use sqlx::Executor;

/// Only a machine that stands still is slower than this.
const PATIENCE: Duration = Duration::from_secs(600);

async fn given(app: &TestApp, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for chunk in (0..count).collect::<Vec<_>>().chunks(100) {
        let traces: Vec<Value> = chunk
            .iter()
            .map(|number| {
                let mut body = trace();
                body["task"] = json!(format!("task {number}"));
                body
            })
            .collect();
        let stored = app.post("/traces/batch", &json!({ "traces": traces })).await.expect(200).json();
        let results = stored["results"].as_array().unwrap().clone();
        ids.extend(results.iter().map(|item| item["trace_id"].as_str().unwrap().to_owned()));
    }
    ids
}

async fn next(app: &TestApp, body: Value) -> Value {
    app.post("/review-queue/next", &body).await.expect(200).json()
}

fn ids(answer: &Value) -> Vec<String> {
    let items = answer["items"].as_array().unwrap();
    items.iter().map(|item| item["trace_id"].as_str().unwrap().to_owned()).collect()
}

async fn delete(app: &TestApp, rest: &str) -> Value {
    app.send("DELETE", &app.path(rest), Some(&app.key), &[], None).await.expect(200).json()
}

struct Reviewer<'a> {
    app: &'a TestApp,
    key: String,
    /// Gives up looking at one item in so many.
    abandons: Option<usize>,
    seen: usize,
    judged: Vec<String>,
    abandoned: usize,
}

impl Reviewer<'_> {
    /// Takes and judges until nothing is left anywhere.
    async fn work(&mut self, all: usize) {
        let started = Instant::now();
        loop {
            let body = json!({ "count": 3, "order": "random", "lease_seconds": 1 });
            let path = self.app.path("/review-queue/next");
            let answer =
                self.app.send("POST", &path, Some(&self.key), &[], Some(&body)).await.expect(200).json();
            for item in answer["items"].as_array().unwrap() {
                let id = item["trace_id"].as_str().unwrap().to_owned();
                self.seen += 1;
                if self.abandons.is_some_and(|every| self.seen.is_multiple_of(every)) {
                    self.abandoned += 1;
                    continue;
                }
                // Only what is still held may be judged by whoever plays by the rules.
                let leases = self.app.path("/review-queue/leases");
                let renewed = json!({ "trace_ids": [id], "lease_seconds": 60 });
                let held = self.app.send("POST", &leases, Some(&self.key), &[], Some(&renewed)).await;
                let held = held.expect(200).json();
                if held["held"].get(0).is_none() {
                    continue;
                }
                let verdict =
                    json!({ "reviews": [{ "trace_id": id, "result": "pass", "feedback_text": self.key }] });
                let batch = self.app.path("/reviews/batch");
                let taken =
                    self.app.send("POST", &batch, Some(&self.key), &[], Some(&verdict)).await.expect(200);
                assert_eq!(taken.json()["results"][0]["review"]["result"], "pass", "{}", taken.json());
                self.judged.push(id);
            }
            let counts = self.app.get("/review-queue").await.expect(200).json();
            if counts["pending"] == 0 && counts["leased"] == 0 && counts["reviewed_today"] == all {
                return;
            }
            assert!(started.elapsed() < PATIENCE, "{counts}");
        }
    }
}

#[tokio::test]
async fn two_reviewers_never_hold_one_trace_and_what_is_abandoned_comes_back() {
    const ALL: usize = 500;
    let app = TestApp::start().await;
    let waiting = given(&app, ALL).await;
    let mut notes = app.db.superuser().await;
    // What was true in the database at every moment: each change of a lease with the time it was made.
    notes
        .execute(
            "create table noted (at timestamptz default clock_timestamp(), began timestamptz, trace_id uuid, \
             before text, before_until timestamptz, after text, after_until timestamptz);
             grant insert on noted to reflect_app;
             create function note_lease() returns trigger language plpgsql as $$ begin
               if tg_op = 'DELETE' then
                 insert into noted (began, trace_id, before, before_until)
                 values (now(), old.trace_id, old.lease_holder, old.leased_until);
                 return old;
               end if;
               insert into noted (began, trace_id, before, before_until, after, after_until)
               values (now(), new.trace_id, case when tg_op = 'UPDATE' then old.lease_holder end,
                       case when tg_op = 'UPDATE' then old.leased_until end, new.lease_holder, new.leased_until);
               return new;
             end $$;
             create trigger noting after insert or update or delete on queue_entry
               for each row execute function note_lease();",
        )
        .await
        .unwrap();
    let scopes = [Scope::ReviewWrite, Scope::TraceRead];
    let reviewer = |key: String, abandons| Reviewer {
        app: &app,
        key,
        abandons,
        seen: 0,
        judged: Vec::new(),
        abandoned: 0,
    };
    let mut steady = reviewer(app.new_key(Some(&app.project), &scopes).await, None);
    let mut forgetful = reviewer(app.new_key(Some(&app.project), &scopes).await, Some(4));

    tokio::join!(steady.work(ALL), forgetful.work(ALL));

    // None twice, and all of them.
    let mut judged: Vec<String> = steady.judged.iter().chain(&forgetful.judged).cloned().collect();
    judged.sort();
    let mut expected = waiting.clone();
    expected.sort();
    assert_eq!(judged, expected);
    let reviews: i64 = sqlx::query_scalar("select count(*) from review").fetch_one(&mut notes).await.unwrap();
    assert_eq!(reviews, ALL as i64);

    // No lease was taken from a holder while it lived.
    let stolen: i64 = sqlx::query_scalar(
        "select count(*) from noted where before is not null and after is not null and before <> after \
         and before_until > began",
    )
    .fetch_one(&mut notes)
    .await
    .unwrap();
    assert_eq!(stolen, 0, "leases that changed hands while they lived");
    // Every abandoned one was given again, once its time was over.
    assert!(forgetful.abandoned >= 20, "{} abandoned", forgetful.abandoned);
    let given_again: i64 = sqlx::query_scalar(
        "select count(*) from noted where before is not null and after is not null and before_until <= began",
    )
    .fetch_one(&mut notes)
    .await
    .unwrap();
    assert!(given_again >= forgetful.abandoned as i64, "{given_again} given again");
    let changed_hands = sqlx::query_scalar("select count(*) from noted where before <> after");
    let changed_hands: i64 = changed_hands.fetch_one(&mut notes).await.unwrap();
    assert!(changed_hands > 0, "no trace was ever looked at by both");
    let left: i64 =
        sqlx::query_scalar("select count(*) from queue_entry").fetch_one(&mut notes).await.unwrap();
    assert_eq!(left, 0, "a trace that got its review leaves the queue");
    println!(
        "review queue: {ALL} traces, {} and {} judged, {} abandoned, {given_again} given again, {changed_hands} changed hands, 0 stolen",
        steady.judged.len(),
        forgetful.judged.len(),
        forgetful.abandoned
    );
}

#[tokio::test]
async fn what_is_leased_is_given_to_nobody_else_until_it_is_given_back_or_runs_out() {
    let app = TestApp::start().await;
    let all = given(&app, 3).await;

    let mine = next(&app, json!({ "count": 2, "order": "oldest", "reviewer": "ana" })).await;
    assert_eq!(ids(&mine), all[..2]);
    assert_eq!(mine["remaining"], 1);
    let theirs = next(&app, json!({ "count": 5, "reviewer": "ben" })).await;
    assert_eq!(ids(&theirs), all[2..]);
    assert_eq!(theirs["remaining"], 0);
    assert!(
        ids(&next(&app, json!({ "reviewer": "ana" })).await).is_empty(),
        "not even one's own, unless asked"
    );
    let renewed = next(&app, json!({ "reviewer": "ana", "renew": true, "lease_seconds": 900 })).await;
    assert_eq!(ids(&renewed).len(), 2);

    // Giving back what is somebody else's does nothing.
    let body = |who: &str| json!({ "trace_ids": [all[0]], "release": true, "reviewer": who });
    app.post("/review-queue/leases", &body("ben")).await.expect(200);
    assert!(ids(&next(&app, json!({ "reviewer": "ben" })).await).is_empty());
    app.post("/review-queue/leases", &body("ana")).await.expect(200);
    assert_eq!(ids(&next(&app, json!({ "reviewer": "ben" })).await), all[..1]);

    // A lease that ran out is anybody's, and until somebody takes it still its holder's.
    let mut database = app.db.superuser().await;
    database.execute("update queue_entry set leased_until = now() - interval '1 second'").await.unwrap();
    let held = json!({ "trace_ids": [all[1], all[2], "nonsense"], "lease_seconds": 60, "reviewer": "ana" });
    let held = app.post("/review-queue/leases", &held).await.expect(200).json();
    assert_eq!(held["held"].as_array().unwrap().len(), 1);
    assert_eq!(held["held"][0]["trace_id"], all[1]);
    let rest: HashSet<String> = ids(&next(&app, json!({ "reviewer": "carl" })).await).into_iter().collect();
    assert_eq!(rest, HashSet::from([all[0].clone(), all[2].clone()]));
    let lost = json!({ "trace_ids": [all[2]], "reviewer": "ben" });
    let lost = app.post("/review-queue/leases", &lost).await.expect(200).json();
    assert!(lost["held"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn a_lease_forbids_nobody_to_judge_and_the_first_verdict_counts() {
    let app = TestApp::start().await;
    let all = given(&app, 1).await;
    next(&app, json!({ "reviewer": "ana" })).await;
    let verdict = |result: &str, who: &str| json!({ "result": result, "grace_seconds": 60, "reviewer": who });
    let path = format!("/traces/{}/review", all[0]);

    let taken = app.post(&path, &verdict("fail", "ben")).await.expect(200).json();
    let reviewer = taken["review"]["reviewer"].as_str().unwrap();
    assert!(reviewer.starts_with("key:") && reviewer.ends_with("/ben"), "{reviewer}");
    app.post(&path, &verdict("pass", "ana")).await.expect(409);

    let counts = app.get("/review-queue").await.expect(200).json();
    assert_eq!(
        (&counts["pending"], &counts["leased"], &counts["reviewed_today"]),
        (&json!(0), &json!(0), &json!(1))
    );
    delete(&app, &path).await;
    assert_eq!(ids(&next(&app, json!({})).await), all, "without its review it waits again");
}

#[tokio::test]
async fn a_deferred_trace_waits_for_its_time_and_says_why_when_it_is_over() {
    let app = TestApp::start().await;
    let all = given(&app, 2).await;
    let path = format!("/traces/{}/defer", all[0]);
    next(&app, json!({ "reviewer": "ana" })).await;

    let body = json!({ "seconds": 3600, "note": "ask the bank", "reviewer": "ana" });
    let deferred = app.post(&path, &body).await.expect(200).json();
    assert!(deferred["deferred_until"].is_string() && deferred["note"] == "ask the bank");
    let counts = app.get("/review-queue").await.expect(200).json();
    assert_eq!((&counts["leased"], &counts["deferred"]), (&json!(1), &json!(1)));
    let mine = next(&app, json!({ "reviewer": "ana", "renew": true })).await;
    assert_eq!(ids(&mine), all[1..]);

    delete(&app, &path).await;
    assert_eq!(ids(&next(&app, json!({ "reviewer": "ben", "lease_seconds": 60 })).await), all[..1]);
    app.post(&path, &body).await.expect(200);
    let mut database = app.db.superuser().await;
    let over = "update queue_entry set deferred_until = now(), lease_holder = null, leased_until = null \
                where deferred_by is not null";
    database.execute(over).await.unwrap();
    let again = next(&app, json!({ "reviewer": "ben", "skip": [all[1]] })).await;
    assert_eq!(ids(&again), all[..1]);
    assert_eq!(again["items"][0]["deferred_note"], "ask the bank");

    for bad in [
        json!({}),
        json!({ "seconds": 60, "until": "2999-01-01T00:00:00Z" }),
        json!({ "until": "2999-01-01T00:00:00Z" }),
        json!({ "until": "2020-01-01T00:00:00Z" }),
        json!({ "seconds": 0 }),
        json!({ "seconds": 10_000_000_000_u64 }),
        json!({ "seconds": 60, "note": "x".repeat(1001) }),
    ] {
        app.post(&path, &bad).await.expect(422);
    }
    app.post(&format!("/traces/{}/review", all[0]), &json!({ "result": "pass", "grace_seconds": 9 }))
        .await
        .expect(200);
    app.post(&path, &body).await.expect(409);
}

#[tokio::test]
async fn upkeep_removes_what_ran_out_and_nothing_else() {
    let app = TestApp::start().await;
    let all = given(&app, 3).await;
    next(&app, json!({ "count": 2, "order": "oldest", "lease_seconds": 900 })).await;
    app.post(&format!("/traces/{}/defer", all[2]), &json!({ "seconds": 900 })).await.expect(200);
    let mut database = app.db.superuser().await;
    let over = sqlx::query("update queue_entry set leased_until = now() where trace_id = $1::uuid");
    over.bind(&all[0]).execute(&mut database).await.unwrap();

    app.app.engine().store.maintenance().run().await.unwrap();

    let left = sqlx::query_scalar("select trace_id::text from queue_entry order by trace_id");
    let left: Vec<String> = left.fetch_all(&mut database).await.unwrap();
    assert_eq!(left, all[1..]);
    app.post("/traces/delete", &json!({ "trace_ids": all })).await.expect(200);
    let left: i64 =
        sqlx::query_scalar("select count(*) from queue_entry").fetch_one(&mut database).await.unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn filters_and_skipping_say_who_gets_what() {
    let app = TestApp::start().await;
    let mut stored = Vec::new();
    for (task, model, team) in
        [("Refund A", "small", "pay"), ("refund B", "large", "pay"), ("Ship C", "small", "ship")]
    {
        let mut body = trace();
        body["task"] = json!(task);
        body["model"] = json!(model);
        body["metadata"] = json!({ "team": team });
        if task == "Ship C" {
            body["trajectory"] =
                json!([{ "role": "tool", "content": "error: no such port", "status": "error" }]);
        }
        let id = app.post("/traces", &body).await.expect(201).json()["id"].as_str().unwrap().to_owned();
        stored.push(id);
    }
    let found = async |filter: Value| {
        let answer = next(&app, json!({ "filter": filter, "order": "oldest", "renew": true })).await;
        ids(&answer).iter().map(|id| stored.iter().position(|other| other == id).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(found(json!({ "model": "small" })).await, [0, 2]);
    assert_eq!(found(json!({ "task": "REFUND" })).await, [0, 1]);
    assert_eq!(found(json!({ "metadata": { "team": "ship" } })).await, [2]);
    assert_eq!(found(json!({ "model": "small", "task": "refund" })).await, [0]);
    assert_eq!(found(json!({ "signal": "tool_error" })).await, [2]);
    assert_eq!(found(json!({ "judged": true })).await, [0; 0]);
    assert_eq!(found(json!({ "judged": false })).await, [0, 1, 2]);

    let errors = next(&app, json!({ "order": "errors", "renew": true })).await;
    assert_eq!(ids(&errors)[0], stored[2]);
    let skipped = next(&app, json!({ "skip": [stored[0], stored[1], "nonsense"], "renew": true })).await;
    assert_eq!(ids(&skipped), stored[2..]);
    for (body, field) in [
        (json!({ "filter": { "signal": "smell" } }), "filter.signal"),
        (json!({ "count": 0 }), "count"),
        (json!({ "count": 21 }), "count"),
        (json!({ "lease_seconds": 0 }), "lease_seconds"),
        (json!({ "lease_seconds": 901 }), "lease_seconds"),
        (json!({ "reviewer": "x".repeat(101) }), "reviewer"),
    ] {
        let refused = app.post("/review-queue/next", &body).await.expect(422);
        let message = refused.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with(field), "{message}");
    }
}

#[tokio::test]
async fn the_most_informative_come_first_and_say_why() {
    let app = TestApp::start().await;
    let learned = async |task: &str| {
        let mut body = trace();
        body["task"] = json!(task);
        body["review"] = json!({ "result": "pass", "reflection": { "summary": format!("About {task}.") } });
        app.post("/traces", &body).await.expect(201).json()["created_memory_id"].clone()
    };
    let (settled, fresh) = (learned("sorting").await, learned("parsing").await);
    let mut database = app.db.superuser().await;
    let known = sqlx::query(
        "update memory_stat set reviews = 90, passes = 90, evidence = 90 where memory_id = $1::uuid",
    );
    known.bind(settled.as_str()).execute(&mut database).await.unwrap();
    let waits = async |memory: Option<&Value>| {
        let mut body = trace();
        body["task"] = json!("something else altogether");
        if let Some(memory) = memory {
            body["retrieved_memory_ids"] = json!([memory]);
        }
        app.post("/traces", &body).await.expect(201).json()["id"].as_str().unwrap().to_owned()
    };
    let (dull, with_fresh, alone) =
        (waits(Some(&settled)).await, waits(Some(&fresh)).await, waits(None).await);

    let answer = next(&app, json!({})).await;

    assert_eq!(ids(&answer), [alone, with_fresh, dull]);
    let reason = |at: usize| answer["items"][at]["reasons"][0]["reason"].as_str().unwrap().to_owned();
    assert_eq!(reason(0), "no_near_memory");
    assert_eq!(reason(1), "thin_evidence");
    let weights = answer["items"][1]["reasons"].as_array().unwrap().iter();
    let sum: f64 = weights.map(|reason| reason["weight"].as_f64().unwrap()).sum();
    assert!((answer["items"][1]["score"].as_f64().unwrap() - sum).abs() < 1e-9);
    let memory = &answer["items"][1]["digest"]["memories"][0];
    assert_eq!(memory["summary"], "About parsing.");
    assert_eq!((&memory["q_value"], &memory["q_value_after_pass"]), (&json!(0.5), &json!(0.65)));
}

#[tokio::test]
async fn a_digest_shows_what_a_run_did_and_how_its_memories_were_found() {
    let app = TestApp::with_models(Models::default(), ServerSettings::default()).await;
    let mut body = trace();
    body["task"] = json!("refund the order");
    body["review"] = json!({ "result": "pass" });
    app.post("/traces", &body).await.expect(202);
    app.learn().await;
    app.post("/memory/query", &json!({ "task": "refund the order" })).await.expect(200);
    body["review"] = Value::Null;
    body["trajectory"] = json!([
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "1", "function": { "name": "refund", "arguments": "{}" } }] },
        { "role": "tool", "tool_call_id": "1", "content": "{\"error\": \"no such order\"}" },
        { "role": "assistant", "content": "Done." }]);
    app.post("/traces", &body).await.expect(201);

    let answer = next(&app, json!({})).await;

    let digest = &answer["items"][0]["digest"];
    assert_eq!(digest["answer"], "Done.");
    assert_eq!(answer["items"][0]["link"], "inferred");
    assert_eq!(digest["memories"].as_array().unwrap().len(), 1);
    assert_eq!(digest["steps"]["by_kind"], json!({ "assistant": 1, "tool_call": 1, "tool_result": 1 }));
    assert_eq!(digest["steps"]["listed"][1]["failed"], true);
    let signals = json!([{ "signal": "tool_error", "count": 1, "step": 2 },
                         { "signal": "degraded_retrieval", "count": 1, "step": null }]);
    assert_eq!(digest["signals"], signals);
}
