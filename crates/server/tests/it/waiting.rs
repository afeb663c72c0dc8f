//! `?wait=`: the answer comes when there is one, or when the time is up.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reflect_test_support::{TestApp, trace};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

#[tokio::test]
async fn a_settled_trace_is_answered_at_once() {
    let app = TestApp::start().await;
    let id = app.given_trace().await;
    let start = Instant::now();
    app.get(&format!("/traces/{id}?wait=50")).await.expect(200);
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_queued_trace_is_answered_as_it_is_when_the_time_is_up() {
    let app = TestApp::start().await;
    let mut body = trace();
    body["review"] = json!({ "result": "pass" });
    let id = app.post("/traces", &body).await.expect(202).json()["id"].as_str().unwrap().to_owned();
    let start = Instant::now();
    let read = app.get(&format!("/traces/{id}?wait=1")).await.expect(200).json();
    assert_eq!(read["ingest_status"], "queued");
    assert!(start.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_trace_that_comes_while_somebody_waits_is_answered() {
    let app = Arc::new(TestApp::start().await);
    let mut body = trace();
    let id = uuid::Uuid::now_v7();
    body["trace_id"] = json!(id);

    let waiting = {
        let app = app.clone();
        async move { app.get(&format!("/traces/{id}?wait=50")).await }
    };
    let storing = async { app.post("/traces", &body).await };
    let (answer, stored) = tokio::join!(waiting, storing);

    stored.expect(201);
    assert_eq!(answer.expect(200).json()["id"], json!(id));
}

#[tokio::test]
async fn nobody_waits_for_what_never_comes() {
    let app = TestApp::start().await;
    app.get(&format!("/traces/{}?wait=0", uuid::Uuid::now_v7())).await.expect(404);
    app.get(&format!("/traces/{}?wait=soon", uuid::Uuid::now_v7())).await.expect(422);
}

#[tokio::test]
async fn a_request_that_waits_is_woken_by_the_process_that_learned() {
    // A request that is not woken looks again only after this time, once it receives notifications.
    const NOT_WOKEN: Duration = Duration::from_secs(4);
    let app = TestApp::start().await;
    let (other, _) = app.another().await;
    let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
    for engine in [app.app.engine().clone(), other.engine().clone()] {
        let stop = stop.clone();
        tasks.spawn(async move { engine.events.forward_notifications(stop).await });
    }
    let mut body = trace();
    body["review"] = json!({ "result": "pass" });

    for _ in 0..5 {
        let id = app.post("/traces", &body).await.expect(202).json()["id"].as_str().unwrap().to_owned();
        let path = format!("/traces/{id}?wait=50");
        let waiting = async { (app.get(&path).await.expect(200).json(), Instant::now()) };
        let learning = async {
            other.engine().worker.run_once().await.unwrap();
            Instant::now()
        };
        let ((read, answered), learned) = tokio::join!(waiting, learning);
        assert_eq!(read["ingest_status"], "completed");
        let late = answered.saturating_duration_since(learned);
        assert!(late < NOT_WOKEN, "answered {late:?} after the trace was complete");
    }
    stop.cancel();
    tasks.close();
    tasks.wait().await;
}
