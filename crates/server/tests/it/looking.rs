//! What people look at: steps, rows, the overview, and the stream that says what changed.

use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use reflect_test_support::{TestApp, browser_request};
use reflect_types::{MemberRole, Scope};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

#[tokio::test]
async fn a_long_part_is_given_by_its_ends_and_read_in_stretches() {
    let app = TestApp::start().await;
    let long = "żółw ".repeat(20_000);
    let run = json!({ "task": "t", "trajectory": [
        { "role": "user", "content": "go" },
        { "role": "assistant", "tool_calls": [{ "id": "c", "function": { "name": "read", "arguments": "{}" } }] },
        { "role": "tool", "tool_call_id": "c", "content": long, "is_error": true },
        { "role": "assistant", "content": "done" } ] });
    let id = app.post("/traces", &run).await.expect(201).json()["id"].as_str().unwrap().to_owned();

    let steps = app.get(&format!("/traces/{id}/steps")).await.expect(200).json();
    assert_eq!(steps["kinds"], json!(["user", "tool_call", "tool_result", "assistant"]));
    assert_eq!((&steps["total"], &steps["failed"], &steps["to"]), (&json!(4), &json!([2]), &json!(4)));
    let part = &steps["steps"][2]["parts"][0];
    assert_eq!(part["size"], long.len());
    assert!(part["text"].is_null() && long.starts_with(part["head"].as_str().unwrap()));
    assert!(long.ends_with(part["tail"].as_str().unwrap()));
    let (mut whole, mut from) = (String::new(), 0);
    while from < long.len() {
        let path = format!("/traces/{id}/parts/{}?from={from}&to={}", part["n"], from + 30_001);
        let stretch = app.get(&path).await.expect(200).json();
        assert_eq!(stretch["from"], from);
        whole.push_str(stretch["text"].as_str().unwrap());
        from = usize::try_from(stretch["to"].as_u64().unwrap()).unwrap();
    }
    assert!(whole == long, "the stretches are not the whole");

    let last = app.get(&format!("/traces/{id}/steps?from=3&to=99")).await.expect(200).json();
    assert_eq!((&last["steps"][0]["n"], &last["steps"][0]["parts"][0]["n"]), (&json!(3), &json!(3)));
    assert_eq!(last["steps"].as_array().unwrap().len(), 1);
    assert_eq!(app.get(&format!("/traces/{id}/steps?from=9")).await.expect(200).json()["steps"], json!([]));
    app.get(&format!("/traces/{id}/parts/99")).await.expect(404);
    app.get(&format!("/traces/{id}/parts/x")).await.expect(404);
}

#[tokio::test]
async fn rows_fit_their_filter() {
    let app = TestApp::start().await;
    let store = |body: Value| {
        let app = &app;
        async move { app.post("/traces", &body).await.json()["id"].as_str().unwrap().to_owned() }
    };
    let good = store(json!({ "task": "Refund 1182\nplease", "model": "gpt-5-mini", "metadata": { "latency_ms": 1200, "tokens": 42 },
        "trajectory": [{ "role": "assistant", "content": "Done, Zoë" }],
        "review": { "result": "pass", "reflection": { "summary": "s" } } }))
    .await;
    let bad = store(json!({ "task": "Book 100% off", "model": "claude",
        "trajectory": [{ "role": "tool", "content": "no", "is_error": true }],
        "retrieved_memory_ids": [app.get(&format!("/traces/{good}")).await.json()["created_memory_id"]],
        "review": { "result": "fail", "reflection": { "summary": "s" } } }))
    .await;
    let open = store(json!({ "task": "Greet", "trajectory": "hello" })).await;
    let memory =
        app.get(&format!("/traces/{good}")).await.json()["created_memory_id"].as_str().unwrap().to_owned();

    let rows = app.get("/traces/rows").await.expect(200).json();
    let row = rows.as_array().unwrap().iter().find(|row| row["id"] == json!(good)).unwrap().clone();
    assert_eq!(
        (&row["task"], &row["latency_ms"], &row["tokens"]),
        (&json!("Refund 1182"), &json!(1200.0), &json!(42))
    );
    assert_eq!((&row["errors"], &row["messages"], &row["result"]), (&json!(0), &json!(1), &json!("pass")));
    for (filter, expected) in [
        ("", vec![&open, &bad, &good]),
        ("?result=pass", vec![&good]),
        ("?review_status=pending", vec![&open]),
        ("?review_status=reviewed", vec![&bad, &good]),
        ("?model=gpt-5*", vec![&good]),
        ("?model=gpt-5", vec![]),
        ("?text=REFUND", vec![&good]),
        ("?text=zo%C3%AB", vec![&good]),
        ("?text=100%25", vec![&bad]),
        ("?has_error=true", vec![&bad]),
        ("?has_error=false", vec![&open, &good]),
        ("?since=2020-01-01T00:00:00Z&until=2100-01-01T00:00:00Z", vec![&open, &bad, &good]),
        ("?since=2100-01-01T00:00:00Z", vec![]),
        ("?until=2020-01-01T00:00:00Z", vec![]),
        ("?ingest_status=failed", vec![]),
    ] {
        let found = app.get(&format!("/traces/rows{filter}")).await.expect(200).json();
        let ids: Vec<&str> =
            found.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
        assert_eq!(ids, expected, "{filter}");
    }
    let had = app.get(&format!("/traces/rows?memory_id={memory}")).await.expect(200).json();
    assert_eq!(
        (had.as_array().unwrap().len(), &had[0]["id"], &had[0]["memories"]),
        (1, &json!(bad), &json!(1))
    );
    let first = app.get("/traces/rows?limit=2").await.expect(200);
    let cursor = first.header("x-next-cursor").unwrap().to_owned();
    let second = app.get(&format!("/traces/rows?limit=2&cursor={cursor}")).await.expect(200);
    assert_eq!(second.json()[0]["id"], json!(good));
    assert_eq!(second.header("x-next-cursor"), None);
    app.get("/traces/rows?since=yesterday").await.expect(422);
    app.get("/traces/rows?limit=101").await.expect(422);
}

#[tokio::test]
async fn the_overview_counts_every_stage() {
    let app = TestApp::with_models(
        reflect_test_support::refusing_models(),
        reflect_server::ServerSettings::default(),
    )
    .await;
    let empty = app.get("/overview").await.expect(200).json();
    assert_eq!((&empty["traces"]["last_7d"], &empty["reviews"]["share"]), (&json!(0), &Value::Null));
    let oldest = app.given_trace().await;
    app.given_trace().await;
    let lesson = json!({ "result": "pass", "reflection": { "summary": "Look first." } });
    let judged = app.given_trace().await;
    app.post(&format!("/traces/{judged}/review"), &lesson).await.expect(200);
    let mut failing = reflect_test_support::trace();
    failing["review"] = json!({ "result": "fail" });
    app.post("/traces", &failing).await.expect(202);
    app.learn().await;

    let now = app.get("/overview").await.expect(200).json();
    assert_eq!(now["traces"], json!({ "last_24h": 4, "last_7d": 4, "more": false }));
    assert_eq!((&now["reviews"]["reviewed"], &now["reviews"]["share"]), (&json!(2), &json!(0.5)));
    assert_eq!(
        (&now["reviews"]["pending"], &now["reviews"]["oldest_pending"]["trace_id"]),
        (&json!(2), &json!(oldest))
    );
    assert_eq!(now["reflections"], json!({ "made": 1, "failed": 1, "queued": 0 }));
    assert_eq!(now["memories_used"]["with_memories"], 0);
    assert_eq!((&now["lessons"], &now["situations"]), (&json!(1), &json!(1)));
    assert_eq!(
        (&now["success_by_day"][0]["reviews"], &now["success_by_day"][0]["passed"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(now["newest_memories"][0]["summary"], "Look first.");
    assert!(now["failures"][0]["error"].as_str().unwrap().contains("refused"), "{now}");
}

#[tokio::test]
async fn a_deferred_run_waits_for_no_review() {
    let app = TestApp::start().await;
    let deferred = app.given_trace().await;
    let waiting = app.given_trace().await;
    let deferral = format!("/traces/{deferred}/defer");
    app.post(&deferral, &json!({ "seconds": 900 })).await.expect(200);
    let session = app.browser().sign_in(MemberRole::Viewer, Some(std::slice::from_ref(&app.project))).await;
    let counts = async || {
        let overview = app.get("/overview").await.expect(200).json();
        let projects = app.browser().send("GET", "/console/api/projects", Some(&session), None).await;
        let queue = app.get("/review-queue").await.expect(200).json();
        let (reviews, projects) = (&overview["reviews"], projects.expect(200).json());
        let counts = [&reviews["pending"], &projects[0]["pending"], &queue["pending"]].map(Value::clone);
        (counts, reviews["oldest_pending"]["trace_id"].clone())
    };

    assert_eq!(counts().await, ([json!(1), json!(1), json!(1)], json!(waiting)));
    app.send("DELETE", &app.path(&deferral), Some(&app.key), &[], None).await.expect(200);
    assert_eq!(counts().await, ([json!(2), json!(2), json!(2)], json!(deferred)));
}

/// Reads a stream of events, one after the other.
struct Stream {
    body: Body,
    text: String,
}

impl Stream {
    async fn open(service: &Router, request: Request<Body>) -> Self {
        let response = service.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status().as_u16(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert!(!response.headers().contains_key("content-encoding"));
        Self { body: response.into_body(), text: String::new() }
    }

    /// The next event's name and data; none at the end of the stream.
    async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            while let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                let field =
                    |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
                if let Some(name) = field("event: ") {
                    return Some((name, serde_json::from_str(&field("data: ").unwrap()).unwrap()));
                }
            }
            let bytes = self.body.frame().await?.unwrap().into_data().unwrap();
            self.text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    /// What else is told before the stream ends, which it has to.
    async fn rest(mut self) -> Vec<String> {
        let reading = async {
            let mut topics = Vec::new();
            while let Some((topic, _)) = self.next().await {
                topics.push(topic);
            }
            topics
        };
        tokio::time::timeout(Duration::from_secs(60), reading).await.expect("the stream ends")
    }

    async fn within(&mut self, time: Duration) -> Option<(String, Value)> {
        tokio::time::timeout(time, self.next()).await.ok().flatten()
    }
}

#[tokio::test]
async fn what_one_process_stores_is_told_by_another_within_a_second() {
    let app = TestApp::start().await;
    let (other, service) = app.another().await;
    let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
    for engine in [app.app.engine().clone(), other.engine().clone()] {
        let stop = stop.clone();
        tasks.spawn(async move { engine.events.forward_notifications(stop).await });
    }
    let session = app.browser().sign_in(MemberRole::Viewer, None).await;
    let mine = browser_request("GET", &app.browser().path("/events"), Some(&session), None);
    let mut mine = Stream::open(&service, mine).await;
    let elsewhere = "elsewhere".parse().unwrap();
    let key = app.new_key(Some(&elsewhere), Scope::ALL).await;
    let theirs =
        Request::get("/v1/projects/elsewhere/events").header("authorization", format!("Bearer {key}"));
    let mut theirs = Stream::open(&service, theirs.body(Body::empty()).unwrap()).await;
    assert_eq!(mine.next().await.unwrap().0, "hello");
    assert_eq!(theirs.next().await.unwrap().0, "hello");

    // The other process may only be beginning to listen, so the first ones may be missed.
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut soonest = Duration::MAX;
    let mut heard = 0;
    while heard < 5 {
        assert!(Instant::now() < deadline, "heard {heard} in a minute");
        let trace = app.given_trace().await;
        let stored = Instant::now();
        if let Some((topic, data)) = mine.within(Duration::from_secs(5)).await
            && topic == "traces"
            && data["ids"] == json!([trace])
        {
            assert_eq!(
                data,
                json!({ "topic": "traces", "ids": [trace], "count": 1 }),
                "ids and nothing else"
            );
            soonest = soonest.min(stored.elapsed());
            heard += 1;
        }
    }
    println!("events: told across processes after {} ms", soonest.as_millis());
    assert!(soonest < Duration::from_secs(1));
    let trace = app.given_trace().await;
    app.post(
        &format!("/traces/{trace}/review"),
        &json!({ "result": "pass", "reflection": { "summary": "s" } }),
    )
    .await;
    let mut topics = Vec::new();
    while !topics.contains(&"reviews".to_owned()) {
        topics.push(mine.within(Duration::from_secs(30)).await.expect("a review is told of").0);
    }

    other.start_draining();
    mine.rest().await;
    let foreign = theirs.rest().await;
    assert!(foreign.iter().all(|topic| topic == "missed"), "another project's changes are told: {foreign:?}");
    stop.cancel();
    tasks.close();
    tasks.wait().await;
}

#[tokio::test]
async fn a_stream_ends_with_its_session() {
    let app = TestApp::start().await;
    let session = app.browser().sign_in(MemberRole::Viewer, None).await;
    let request = browser_request("GET", &app.browser().path("/events"), Some(&session), None);
    let stream = Stream::open(&app.service, request).await;
    app.browser().send("POST", "/console/api/logout", Some(&session), Some(&json!({}))).await.expect(204);

    assert_eq!(stream.rest().await, ["hello"]);
}
