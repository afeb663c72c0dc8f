//! What the network and the server can do wrong during a call.

use std::time::{Duration, Instant};

use reflect_sdk::{Error, ReflectClient};

use crate::given::{given, run_of};
use crate::proxy::Fault;

#[tokio::test]
async fn a_call_that_may_pass_is_repeated_under_the_same_key() {
    let given = given().await;
    given.proxy.faults([Fault::status(503), Fault::Cut]);

    given.client.traces.create(run_of("parse the file")).await.unwrap();

    let seen = given.proxy.seen("/traces");
    let keys: Vec<_> = seen.iter().map(|seen| seen.headers["idempotency-key"].clone()).collect();
    assert_eq!(keys.len(), 3);
    assert!(keys.iter().all(|key| *key == keys[0]) && seen.iter().all(|one| one.body == seen[0].body));
}

#[tokio::test]
async fn a_run_whose_answer_was_lost_is_stored_once() {
    let given = given().await;
    given.proxy.faults([Fault::Lost, Fault::Lost]);

    given.client.traces.create(run_of("parse the file")).await.unwrap();

    assert_eq!(given.proxy.seen("/traces").len(), 3);
    assert_eq!(given.client.traces.list(None).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_refusal_is_not_repeated() {
    let given = given().await;

    let error = given.client.traces.create(run_of("")).await.unwrap_err();

    assert_eq!((error.status(), error.code()), (Some(422), Some("invalid_request")));
    assert_eq!(given.proxy.seen("/traces").len(), 1);
}

#[tokio::test]
async fn repeats_end_with_the_last_answer() {
    let given = given().await;
    let body = r#"{"error":{"code":"overloaded","message":"too much at once","request_id":"r1"}}"#;
    given.proxy.faults([
        Fault::status(500),
        Fault::status(502),
        Fault::Answer(503, vec![("retry-after", "1")], body),
    ]);

    let error = given.client.project.get().await.unwrap_err();

    assert_eq!(
        (error.status(), error.code(), error.request_id()),
        (Some(503), Some("overloaded"), Some("r1"))
    );
    assert_eq!(error.retry_after(), Some(Duration::from_secs(1)));
    assert!(error.is_passing());
}

#[tokio::test]
async fn what_the_server_asks_for_is_waited_for_if_there_is_time() {
    let given = given().await;
    given.proxy.faults([Fault::Answer(503, vec![("retry-after", "1")], "")]);
    let began = Instant::now();
    given.client.project.get().await.unwrap();
    assert!(began.elapsed() >= Duration::from_secs(1));

    given.proxy.faults([Fault::Answer(503, vec![("retry-after", "50")], "")]);
    let hasty = given.client.with_timeout(Duration::from_secs(40));
    assert_eq!(hasty.project.get().await.unwrap_err().status(), Some(503));
    assert_eq!(given.proxy.seen("/projects").len(), 3);
}

#[tokio::test]
async fn slow_is_told_from_away() {
    let mut given = given().await;
    given.proxy.faults([Fault::Hang]);
    let hasty = given.client.with_timeout(Duration::from_millis(300));
    let slow = hasty.project.get().await.unwrap_err();
    given.proxy.kill().await;
    let away = given.client.project.get().await.unwrap_err();

    assert!(matches!(slow, Error::Timeout { .. }), "{slow}");
    assert!(matches!(away, Error::Connection { .. }), "{away}");
    assert!(slow.is_passing() && away.is_passing());
    assert!(away.to_string().contains(&given.proxy.url()), "{away}");
}

#[tokio::test]
async fn nobody_is_followed_elsewhere() {
    let given = given().await;
    given.proxy.faults([Fault::Answer(307, vec![("location", "http://127.0.0.1:1/")], "")]);

    let error = given.client.project.get().await.unwrap_err();

    assert_eq!(error.status(), Some(307));
    assert!(error.to_string().contains("redirects to http://127.0.0.1:1/"), "{error}");
}

#[tokio::test]
async fn answers_of_strangers_are_told() {
    let given = given().await;
    given
        .proxy
        .faults([Fault::Answer(200, vec![("x-request-id", "r2")], "<html>"), Fault::Answer(404, vec![], "")]);

    let unreadable = given.client.project.get().await.unwrap_err();
    let elsewhere = given.client.project.get().await.unwrap_err();

    assert!(matches!(unreadable, Error::Unreadable { .. }), "{unreadable}");
    assert_eq!(unreadable.request_id(), Some("r2"));
    assert!(elsewhere.hint().unwrap().contains("base URL"));
}

#[tokio::test]
async fn a_server_that_drains_says_so() {
    let given = given().await;
    given.proxy.faults([Fault::Answer(503, vec![], r#"{"status":"draining"}"#)]);

    assert_eq!(given.client.server.ready().await.unwrap().status, "draining");
}

#[tokio::test]
async fn making_a_client_sends_nothing() {
    let given = given().await;
    let other = ReflectClient::builder().base_url(given.proxy.url()).api_key("rf_test_1").build().unwrap();

    drop(other.clone());

    assert!(given.proxy.seen("").is_empty());
}
