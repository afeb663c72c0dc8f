//! Waiting for a trace.

use std::time::Duration;

use reflect_sdk::types::{IngestStatus, TraceId};
use reflect_sdk::{Error, ReviewVerdict};
use reflect_test_support::TestApp;

use crate::given::{PATIENCE, given, run_of, with};
use crate::proxy::Fault;

#[tokio::test]
async fn a_wait_ends_when_nobody_learns() {
    let given = given().await;
    let trace = run_of("parse the file").review(ReviewVerdict::pass());
    let id = trace.trace_id();

    let error = given.client.traces.create_and_wait(trace, Duration::from_secs(3)).await.unwrap_err();

    let Error::WaitTimeout { trace_id, last, .. } = error else { panic!("{error}") };
    assert_eq!(trace_id, id);
    assert!(last.contains("ingest_status is queued"), "{last}");
    assert!(!given.proxy.seen("?wait=").is_empty(), "the server is asked to wait");
}

#[tokio::test]
async fn a_server_that_is_restarted_does_not_end_a_wait() {
    let given = given().await;
    let id =
        given.client.traces.create(run_of("parse").review(ReviewVerdict::pass())).await.unwrap().trace_id;
    given.proxy.faults((0..3).map(|_| Fault::Cut));
    given.proxy.faults((0..3).map(|_| Fault::status(503)));

    let trace = given.while_learning(given.client.traces.wait_for(id, true, PATIENCE)).await.unwrap();

    assert!(trace.created_memory_id.is_some());
}

#[tokio::test]
async fn a_trace_that_nobody_knows_is_not_waited_for_forever() {
    let given = given().await;

    let error = given
        .client
        .traces
        .wait_for(TraceId::generate(), false, Duration::from_millis(300))
        .await
        .unwrap_err();

    assert_eq!((error.status(), error.code()), (Some(404), Some("not_found")), "{error}");
}

#[tokio::test]
async fn a_run_that_is_still_here_is_sent_and_waited_for() {
    let given = given().await;
    let id = given.client.submit(run_of("parse the file"));

    assert_eq!(given.client.traces.wait_for(id, false, PATIENCE).await.unwrap().id, id);
}

#[tokio::test]
async fn a_review_that_cannot_be_learned_from_says_why_and_is_tried_again() {
    let given =
        with(TestApp::with_models(reflect_test_support::refusing_models(), Default::default()).await).await;
    let trace = run_of("parse the file").review(ReviewVerdict::pass());
    let id = trace.trace_id();

    let error = given.while_learning(given.client.traces.create_and_wait(trace, PATIENCE)).await.unwrap_err();
    let queued = given.client.traces.retry(id).await.unwrap();

    let Error::IngestFailed { trace_id, reason } = error else { panic!("{error}") };
    assert_eq!(trace_id, id);
    assert!(reason.contains("the key was refused"), "{reason}");
    assert_eq!(queued.ingest_status, IngestStatus::Queued);
}
