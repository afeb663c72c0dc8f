//! Runs that are sent in the background.

use std::time::{Duration, Instant};

use reflect_sdk::types::TraceId;
use reflect_sdk::{ReflectClient, ReviewVerdict};

use crate::given::{PATIENCE, given, run_of};
use crate::proxy::Fault;

async fn stored(client: &ReflectClient) -> Vec<TraceId> {
    client.traces.list(None).await.unwrap().iter().map(|trace| trace.id).rev().collect()
}

fn adds_up(client: &ReflectClient) -> bool {
    let counters = client.delivery();
    counters.produced == counters.sent + counters.pending + counters.dropped.total()
}

#[tokio::test]
async fn runs_are_sent_in_batches_and_flushed() {
    let given = given().await;
    let ids: Vec<TraceId> = (0..120).map(|n| given.client.submit(run_of(&format!("task {n}")))).collect();

    let report = given.client.flush(PATIENCE).await;

    assert_eq!((report.sent, report.pending, report.dropped), (120, 0, 0));
    assert_eq!(given.proxy.seen("/traces/batch").len(), 3);
    assert_eq!(stored(&given.client).await, ids);
    assert_eq!(given.client.flush(PATIENCE).await.sent, 0);
}

#[tokio::test]
async fn runs_arrive_without_a_flush() {
    let given = given().await;
    let id = given.client.submit(run_of("parse the file"));

    let end = Instant::now() + PATIENCE;
    while given.client.delivery().pending > 0 {
        assert!(Instant::now() < end, "still not sent");
        tokio::task::yield_now().await;
    }

    assert_eq!(given.client.delivery().sent, 1);
    assert_eq!(stored(&given.client).await, [id]);
}

#[tokio::test]
async fn nothing_is_lost_while_the_server_is_killed() {
    let mut given = given().await;
    let first = given.client.submit(run_of("before"));
    given.client.flush(PATIENCE).await;
    given.proxy.kill().await;
    let second = given.client.submit(run_of("meanwhile"));
    let report = given.client.flush(Duration::from_millis(700)).await;
    assert_eq!((report.sent, report.pending, report.dropped), (0, 1, 0));

    given.proxy.revive().await;
    let third = given.client.submit(run_of("after"));
    let report = given.client.flush(PATIENCE).await;

    assert_eq!((report.sent, report.pending, report.dropped), (2, 0, 0));
    assert_eq!(stored(&given.client).await, [first, second, third]);
    assert!(adds_up(&given.client));
}

#[tokio::test]
async fn a_batch_whose_answer_was_lost_is_stored_once() {
    let given = given().await;
    given.proxy.faults([Fault::Lost, Fault::status(503), Fault::Cut]);
    let ids: Vec<TraceId> = (0..3).map(|n| given.client.submit(run_of(&format!("task {n}")))).collect();

    let report = given.client.flush(PATIENCE).await;

    assert_eq!((report.sent, report.pending), (3, 0));
    assert_eq!(stored(&given.client).await, ids);
    assert_eq!(given.proxy.seen("/traces/batch").len(), 4);
}

#[tokio::test]
async fn a_run_that_the_server_does_not_accept_takes_no_other_with_it() {
    let given = given().await;
    let good = given.client.submit(run_of("parse the file"));
    given.client.submit(run_of(""));

    let report = given.client.flush(PATIENCE).await;

    assert_eq!((report.sent, report.pending, report.dropped), (1, 0, 1));
    assert_eq!(given.client.delivery().dropped.rejected, 1);
    assert_eq!(stored(&given.client).await, [good]);
}

#[tokio::test]
async fn a_full_queue_drops_the_oldest_without_a_review_and_counts_them() {
    let mut given = given().await;
    given.proxy.kill().await;
    let client = given.builder().queue_items(2).build().unwrap();
    let reviewed = client.submit(run_of("reviewed").review(ReviewVerdict::pass()));
    client.submit(run_of("oldest"));
    client.submit(run_of("older"));
    let newest = client.submit(run_of("newest"));
    assert_eq!((client.delivery().pending, client.delivery().dropped.full), (2, 2));

    given.proxy.revive().await;
    let report = client.flush(PATIENCE).await;

    assert_eq!((report.sent, report.dropped), (2, 2));
    assert_eq!(stored(&client).await, [reviewed, newest]);
    assert!(adds_up(&client));
}

#[tokio::test]
async fn a_flush_does_not_wait_for_a_server_that_refuses() {
    let given = given().await;
    let stranger = given.builder().api_key("rf_test_unknown").build().unwrap();
    stranger.submit(run_of("parse the file"));
    let began = Instant::now();

    let report = stranger.flush(PATIENCE).await;

    assert_eq!((report.sent, report.pending, report.dropped), (0, 1, 0));
    assert!(began.elapsed() < PATIENCE / 2);
}

#[tokio::test]
async fn runs_of_a_runtime_that_ended_are_sent_by_the_next() {
    let given = given().await;
    let client = given.client.clone();
    given.proxy.faults([Fault::Hang]);
    let sent = given.proxy.counter("/traces/batch");

    let (done, is_done) = tokio::sync::oneshot::channel();
    let outside = std::thread::spawn(move || {
        let nobody_sends = client.submit(run_of("outside of a runtime"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let soon_gone = runtime.block_on(async {
            let id = client.submit(run_of("in one that ends"));
            // Its batch is on the way when the runtime ends.
            while sent() == 0 {
                client.flush(Duration::from_millis(50)).await;
            }
            id
        });
        drop(runtime);
        done.send([nobody_sends, soon_gone]).unwrap();
    });
    let ids = is_done.await.unwrap();
    outside.join().unwrap();
    assert_eq!((given.proxy.seen("/traces/batch").len(), given.client.delivery().pending), (1, 2));
    let report = given.client.flush(PATIENCE).await;

    assert_eq!((report.sent, report.pending), (2, 0));
    assert_eq!(stored(&given.client).await, ids);
}
