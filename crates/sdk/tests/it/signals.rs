//! Saying how runs went on behalf of other systems.

use std::time::Duration;

use reflect_sdk::OutgoingSignal;
use reflect_sdk::api::{ChangeProject, SignalItem, SignalMeaning, SignalStatus};
use reflect_sdk::types::{ChangeSignals, ReviewResult, RunKeyName, SignalSource, TraceId};

use crate::given::{given, run_of};
use crate::proxy::Fault;

#[tokio::test]
async fn a_signal_finds_its_run_by_a_key_and_becomes_its_review() {
    let given = given().await;
    let shown = ChangeSignals { blind_share: Some(0.0), ..ChangeSignals::default() };
    let change = ChangeProject { signals: Some(shown), ..ChangeProject::default() };
    given.client.project.update(change).await.unwrap();
    let run = run_of("fix the build").key(RunKeyName::commit(), "4f2a9c1");
    let id = given.client.traces.create(run).await.unwrap().trace_id;
    let failed = OutgoingSignal::fail(SignalSource::ci())
        .about_key(RunKeyName::commit(), "4f2a9c1")
        .comment("1 of 2 tests failed: parses_dates")
        .metadata("job", 7);

    let accepted = given.client.signals.send(&failed).await.unwrap();
    given.app.learn().await;

    assert_eq!((accepted.status, accepted.trace_ids), (SignalStatus::Matched, vec![id]));
    let trace = given.client.traces.get(id).await.unwrap();
    assert_eq!(trace.review.unwrap().result, ReviewResult::Fail);
    assert_eq!(trace.keys["commit"], "4f2a9c1");
    let found = given.client.signals.of_trace(id).await.unwrap();
    assert_eq!(found.signals[0].meaning, SignalMeaning::Decides);
    let sources = given.client.signals.sources().await.unwrap().sources;
    assert_eq!(sources.iter().find(|one| one.source == SignalSource::ci()).unwrap().last_week.reviews, 1);
}

#[tokio::test]
async fn a_signal_whose_answer_was_lost_is_stored_once_and_a_list_is_sent_in_parts() {
    let given = given().await;
    given.proxy.faults([Fault::Lost]);
    let early = OutgoingSignal::score(SignalSource::evaluation(), 0.9).about(TraceId::generate());

    let accepted = given.client.signals.send(&early).await.unwrap();
    assert_eq!(accepted.status, SignalStatus::Waiting);
    let sources = given.client.signals.sources().await.unwrap().sources;
    let evaluation = sources.iter().find(|one| one.source == SignalSource::evaluation()).unwrap();
    assert_eq!(evaluation.last_week.signals, 1);

    let mut many = vec![early; 101];
    many.push(OutgoingSignal::pass(SignalSource::user()));
    let items = given.client.signals.send_many(&many).await.unwrap();
    assert_eq!(items.len(), 102);
    assert!(matches!(&items[101], SignalItem::Refused { error } if error.code == "invalid_request"));
    assert_eq!(given.proxy.seen("/signals/batch").len(), 2);
}

#[tokio::test]
async fn a_feedback_token_is_for_one_run() {
    let given = given().await;
    let id = given.client.traces.create(run_of("sum up the report")).await.unwrap().trace_id;

    let token = given.client.signals.feedback_token(id, Some(Duration::from_secs(3600))).await.unwrap();
    let refused = given.client.signals.feedback_token(id, Some(Duration::from_secs(1))).await.unwrap_err();

    assert!(token.token.starts_with("rff_") && token.trace_id == id);
    assert_eq!(refused.status(), Some(422));
}
