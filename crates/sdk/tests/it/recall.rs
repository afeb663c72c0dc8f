//! Retrieval that never stops a run.

use std::time::{Duration, Instant};

use reflect_sdk::Output;

use crate::given::{PATIENCE, given};
use crate::proxy::Fault;

#[tokio::test]
async fn a_run_goes_on_without_a_server_and_says_so() {
    let mut given = given().await;
    given.proxy.kill().await;

    let run = given.client.run("parse the file").start().await;
    assert_eq!(run.augmented_task(), "parse the file");
    assert!(run.memories().is_empty() && run.retrieval_id().is_none());
    let reason = run.degraded().unwrap().to_owned();
    assert!(reason.starts_with("no memories: "), "{reason}");
    let id = run.finish(Output::text("done"));
    given.proxy.revive().await;
    given.client.flush(PATIENCE).await;

    let trace = given.client.traces.get(id).await.unwrap();
    assert_eq!(trace.metadata["reflect"]["degraded"], reason);
}

#[tokio::test]
async fn a_server_that_hangs_is_given_up_at_the_deadline_and_left_alone_for_a_while() {
    let given = given().await;
    given.proxy.faults([Fault::Hang, Fault::Hang]);
    let began = Instant::now();

    let first = given.client.run("parse").retrieval_timeout(Duration::from_millis(200)).start().await;
    let second = given.client.run("parse").start().await;

    assert!(began.elapsed() < PATIENCE / 2);
    assert!(first.degraded().unwrap().contains("in time"));
    assert!(second.degraded().unwrap().contains("a few seconds ago"));
    assert_eq!(given.proxy.seen("/memory/augment").len(), 1);
}

#[tokio::test]
async fn a_call_fails_open_too_but_a_refusal_is_an_error_there() {
    let given = given().await;
    given.proxy.faults([Fault::status(503), Fault::status(503)]);
    let stranger = given.builder().api_key("rf_test_unknown").build().unwrap();

    let open = given.client.memories.augment("parse").await.unwrap();
    let refused = stranger.memories.augment("parse").await.unwrap_err();
    let run = stranger.run("parse").start().await;

    assert_eq!((open.augmented_task.as_str(), open.memories.len()), ("parse", 0));
    assert!(open.degraded.unwrap().contains("503"));
    assert_eq!(refused.status(), Some(401));
    assert!(run.degraded().unwrap().contains("401"));
    assert_eq!(given.proxy.seen("/memory/augment").len(), 4);
}
