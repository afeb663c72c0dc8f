//! Runs from their beginning to whichever end they come to.

use reflect_sdk::api::AuthoredReflection;
use reflect_sdk::types::{Link, ReviewResult, ReviewStatus};
use reflect_sdk::{Message, Output, ReviewVerdict};
use serde_json::json;

use crate::given::{PATIENCE, given};

const TASK: &str = "find out why the nightly import stopped";

#[tokio::test]
async fn a_run_is_given_memories_and_stored_with_them() {
    let given = given().await;
    let lesson = AuthoredReflection { guidance: "Look at the timer.".to_owned(), ..Default::default() };
    let memory = given.client.memories.create(TASK, ReviewResult::Pass, lesson).await.unwrap();

    let run = given.client.run(TASK).metadata("env", "test").start().await;
    assert!(run.augmented_task().contains("Look at the timer."));
    assert_eq!((run.task(), run.memories().len(), run.degraded()), (TASK, 1, None));
    run.message(Message::user(run.augmented_task()));
    run.tool("read_timer", json!({ "name": "import" }), json!({ "on": false }));
    run.message(Message::assistant("The timer is off."));
    let id = run.finish(Output { model: Some("small".into()), ..Output::reviewed(ReviewVerdict::pass()) });
    let report = given.client.flush(PATIENCE).await;

    assert_eq!((report.sent, report.pending, report.dropped), (1, 0, 0));
    let trace = given.client.traces.get(id).await.unwrap();
    assert_eq!((trace.task.as_str(), trace.final_response.as_str()), (TASK, "The timer is off."));
    assert_eq!(
        (trace.link, trace.linked_memory_ids),
        (Link::Receipt, vec![memory.created_memory_id.unwrap()])
    );
    assert_eq!(trace.metadata, json!({ "env": "test" }));
    assert_eq!(trace.review.unwrap().result, ReviewResult::Pass);
}

#[tokio::test]
async fn a_run_can_be_waited_for() {
    let given = given().await;
    let run = given.client.run(TASK).start().await;
    run.message(Message::assistant("The disk is full."));

    let output = Output::reviewed(ReviewVerdict::fail("Look at the timer first."));
    let trace = given.while_learning(run.finish_and_wait(output, PATIENCE)).await.unwrap();

    assert_eq!(trace.review_status, ReviewStatus::Reviewed);
    assert!(trace.created_memory_id.is_some());
}

#[tokio::test]
async fn a_run_that_is_dropped_is_interrupted_and_no_failure() {
    let given = given().await;
    let run = given.client.run(TASK).start().await;
    run.message(Message::assistant("Let me see."));
    let id = run.trace_id();
    drop(run);
    drop(given.client.run(TASK).start().await);

    let trace = given.client.traces.get(id).await.unwrap();

    assert!(trace.review.is_none());
    assert_eq!(trace.metadata["reflect"]["interrupted"], "dropped");
    let counters = given.client.delivery();
    assert_eq!((counters.produced, counters.empty), (1, 1), "a run that noted nothing leaves nothing");
}

#[tokio::test]
async fn a_run_that_panics_is_interrupted_too() {
    let given = given().await;
    let run = given.client.run(TASK).start().await;
    let id = run.trace_id();

    let mut task = tokio::task::JoinSet::new();
    task.spawn(async move {
        run.message(Message::assistant("Let me see."));
        panic!("as the test wants");
    });
    assert!(task.join_next().await.unwrap().unwrap_err().is_panic());

    let trace = given.client.traces.get(id).await.unwrap();
    assert!(trace.review.is_none());
    assert_eq!(trace.metadata["reflect"]["interrupted"], "panic");
}

#[tokio::test]
async fn a_closure_is_a_run() {
    let given = given().await;

    let answer = given
        .client
        .traced(TASK, |run| async move {
            run.set_output(Output { review: Some(ReviewVerdict::pass()), ..Output::text(run.task()) });
            Ok::<_, std::io::Error>(run.trace_id())
        })
        .await
        .unwrap();

    let trace = given.client.traces.get(answer).await.unwrap();
    assert_eq!((trace.final_response.as_str(), trace.review.unwrap().result), (TASK, ReviewResult::Pass));
}

#[tokio::test]
async fn an_error_after_output_is_a_fail_in_its_own_words_and_goes_on_to_the_caller() {
    let given = given().await;
    let mut id = None;

    let result = given
        .client
        .traced(TASK, |run| {
            id = Some(run.trace_id());
            async move {
                run.set_output(Output { review: Some(ReviewVerdict::pass()), ..Output::text("done") });
                Err::<(), _>(std::io::Error::other("the tool broke"))
            }
        })
        .await;

    assert_eq!(result.unwrap_err().to_string(), "the tool broke");
    let trace = given.client.traces.get(id.unwrap()).await.unwrap();
    let review = trace.review.unwrap();
    assert_eq!(
        (review.result, review.feedback_text.as_deref()),
        (ReviewResult::Fail, Some("the tool broke"))
    );
    assert_eq!(trace.metadata["reflect"]["error"], "std::io::error::Error");
}

#[tokio::test]
async fn an_error_with_nothing_to_show_is_no_verdict() {
    let given = given().await;
    let mut id = None;

    let result = given
        .client
        .traced(TASK, |run| {
            id = Some(run.trace_id());
            async move { Err::<(), _>("no key") }
        })
        .await;

    assert_eq!(result, Err("no key"));
    let trace = given.client.traces.get(id.unwrap()).await.unwrap();
    assert!(trace.review.is_none());
}

#[tokio::test]
async fn runs_and_closures_can_be_moved_to_other_threads() {
    let given = given().await;
    let client = given.client.clone();
    let mut task = tokio::task::JoinSet::new();

    task.spawn(async move {
        let run = client.run(TASK).start().await;
        client.traced(TASK, |_| async { Ok::<_, std::io::Error>(()) }).await.unwrap();
        client.traces.iter(None).next().await.transpose().unwrap();
        let id = run.finish(Output::text("done"));
        client.flush(PATIENCE).await;
        id
    });
    let id = task.join_next().await.unwrap().unwrap();

    assert_eq!(given.client.traces.get(id).await.unwrap().final_response, "done");
}

#[tokio::test]
async fn a_closure_that_is_cancelled_is_interrupted() {
    let given = given().await;
    let (noted, is_noted) = tokio::sync::oneshot::channel();
    let work = given.client.traced(TASK, |run| async move {
        run.message(Message::assistant("Let me see."));
        noted.send(run.trace_id()).unwrap();
        std::future::pending::<Result<(), std::io::Error>>().await
    });

    let id = tokio::select! {
        id = is_noted => id.unwrap(),
        _ = work => unreachable!("the work never ends"),
    };

    let trace = given.client.traces.get(id).await.unwrap();
    assert!(trace.review.is_none());
    assert_eq!(trace.metadata["reflect"]["interrupted"], "dropped");
}
