//! Storing runs and reading them.

use std::sync::Mutex;

use reflect_sdk::api::BatchItem;
use reflect_sdk::types::{IngestStatus, ReviewStatus, TraceId};
use reflect_sdk::{Error, ReviewVerdict};
use serde_json::{Value, json};

use crate::given::{PATIENCE, given, run_of};

#[tokio::test]
async fn a_run_is_stored_and_read_as_it_was() {
    let given = given().await;
    let trace =
        run_of("parse the file").model("small").metadata("env", "test").reference_context("the policy");
    let id = trace.trace_id();

    let stored = given.client.traces.create(trace).await.unwrap();
    let read = given.client.traces.get(id).await.unwrap();

    assert_eq!((stored.trace_id, stored.ingest_status), (id, IngestStatus::Completed));
    assert_eq!((read.task.as_str(), read.final_response.as_str()), ("parse the file", "done"));
    assert_eq!(read.model.as_deref(), Some("small"));
    assert_eq!(read.metadata, json!({ "env": "test" }));
    assert_eq!(read.reference_context.as_deref(), Some("the policy"));
    let messages: Value = serde_json::from_str(read.trajectory.get()).unwrap();
    assert_eq!(
        messages,
        json!([{ "role": "user", "content": "go" }, { "role": "assistant", "content": "done" }])
    );
}

#[tokio::test]
async fn a_reviewed_run_is_waited_for_until_it_is_a_memory() {
    let given = given().await;
    let trace = run_of("parse the file").review(ReviewVerdict::fail("The header was taken for a row."));

    let learned = given.while_learning(given.client.traces.create_and_wait(trace, PATIENCE)).await.unwrap();

    assert_eq!(learned.review_status, ReviewStatus::Reviewed);
    assert!(learned.created_memory_id.is_some());
    let review = learned.review.unwrap();
    assert_eq!(review.feedback_text.as_deref(), Some("The header was taken for a row."));
}

#[tokio::test]
async fn many_runs_are_stored_in_one_call_each_answered_for_itself() {
    let given = given().await;
    let taken = run_of("first");
    given.client.traces.create(taken.clone()).await.unwrap();
    let clash = run_of("another under the same id").with_trace_id(taken.trace_id());
    let mut traces = vec![taken, clash];
    traces.extend((0..100).map(|number| run_of(&format!("task {number}"))));

    let items = given.client.traces.create_many(&traces).await.unwrap();

    assert_eq!(items.len(), 102);
    let refused: Vec<usize> =
        (0..items.len()).filter(|n| matches!(items[*n], BatchItem::Refused { .. })).collect();
    assert_eq!(refused, [1]);
    assert_eq!(given.proxy.seen("/traces/batch").len(), 2);
}

#[tokio::test]
async fn lists_go_on_over_pages() {
    let given = given().await;
    let mut ids: Vec<TraceId> = Vec::new();
    for number in 0..5 {
        ids.push(given.client.traces.create(run_of(&format!("task {number}"))).await.unwrap().trace_id);
    }
    ids.reverse();

    let first = given.client.traces.page(None, None, Some(2)).await.unwrap();
    let second = given.client.traces.page(None, first.next_cursor.as_deref(), Some(2)).await.unwrap();
    let all: Vec<TraceId> =
        given.client.traces.list(None).await.unwrap().iter().map(|trace| trace.id).collect();
    let reviewed = given.client.traces.list(Some(ReviewStatus::Reviewed)).await.unwrap();
    let mut pending = given.client.traces.iter(Some(ReviewStatus::Pending));

    let shown: Vec<TraceId> = first.items.iter().chain(&second.items).map(|trace| trace.id).collect();
    assert_eq!(shown, ids[..4]);
    assert_eq!((all, reviewed.len()), (ids.clone(), 0));
    assert_eq!(pending.next().await.unwrap().unwrap().id, ids[0]);
}

#[tokio::test]
async fn more_than_a_page_is_fetched_page_by_page() {
    let given = given().await;
    let traces: Vec<_> = (0..130).map(|number| run_of(&format!("task {number}"))).collect();
    given.client.traces.create_many(&traces).await.unwrap();

    let mut listing = given.client.traces.iter(None);
    assert!(given.proxy.seen("/traces").iter().all(|seen| seen.method != "GET"), "nothing is fetched yet");
    listing.next().await.unwrap().unwrap();
    let after_one = given.proxy.seen("/traces").iter().filter(|seen| seen.method == "GET").count();
    let mut rest = 0;
    while let Some(trace) = listing.next().await {
        trace.unwrap();
        rest += 1;
    }

    assert_eq!((after_one, rest), (1, 129));
    let pages = given.proxy.seen("/traces").iter().filter(|seen| seen.method == "GET").count();
    assert_eq!(pages, 2);
}

#[tokio::test]
async fn deleted_traces_are_gone() {
    let given = given().await;
    let id = given.client.traces.create(run_of("parse the file")).await.unwrap().trace_id;

    let gone = given.client.traces.delete(&[id, TraceId::generate()]).await.unwrap();

    assert_eq!((gone.deleted, gone.trace_ids), (1, vec![id]));
    let error = given.client.traces.get(id).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(404), Some("not_found")));
    assert!(error.request_id().is_some() && !error.is_passing());
    assert!(matches!(error, Error::Status(_)));
}

#[tokio::test]
async fn a_warning_of_the_server_is_shown_once() {
    static SHOWN: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let given = given().await;
    let client =
        given.builder().on_warning(|text| SHOWN.lock().unwrap().push(text.to_owned())).build().unwrap();
    let run = json!({ "task": "t", "trajectory": "x", "reviw": { "result": "pass" } });

    for _ in 0..2 {
        client.raw("POST", "traces", Some(&run)).await.unwrap();
    }

    assert_eq!(*SHOWN.lock().unwrap(), ["unknown fields: reviw (did you mean review?)"]);
}
