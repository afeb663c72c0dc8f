//! Which memories a run had that is stored later than it ran.

use reflect_test_support::TestApp;
use serde_json::{Value, json};

use super::{chat, now, root, send, traces, without_grace};

const TASK: &str = "Refund 1182";

/// A model call and the root of a run. They ended a minute ago.
fn run(number: u8) -> [Value; 2] {
    [chat(number, 2, TASK, "Done"), root(number)]
}

#[tokio::test]
async fn a_run_is_not_linked_to_a_query_after_its_end() {
    let app = TestApp::start().await;
    without_grace(&app, json!({})).await;
    let lesson = json!({ "guidance": "Look up the order first." });
    let taught =
        json!({ "task": TASK, "trajectory": [], "review": { "result": "pass", "reflection": lesson } });
    let memory = app.post("/traces", &taught).await.expect(201).json()["created_memory_id"].clone();
    app.post("/memory/query", &json!({ "task": TASK })).await.expect(200);

    send(&app, &run(1)).await.expect(200);
    let later = run(2).map(|mut span| {
        span["endTimeUnixNano"] = now().to_string().into();
        span
    });
    send(&app, &later).await.expect(200);
    app.learn().await;

    let stored = traces(&app).await;
    for (number, link, linked) in [(1, "none", json!([])), (2, "inferred", json!([memory]))] {
        let id = format!("{number:032x}");
        let trace = stored.iter().find(|trace| trace["metadata"]["otel_trace_id"] == id).unwrap();
        let path = format!("/traces/{}", trace["id"].as_str().unwrap());
        let trace = app.get(&path).await.expect(200).json();
        assert_eq!((&trace["link"], &trace["linked_memory_ids"]), (&json!(link), &linked), "run {number}");
    }
}
