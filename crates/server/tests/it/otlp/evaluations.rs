//! Results of evaluations become signals about their runs, if the key may send signals.

use reflect_test_support::TestApp;
use reflect_types::Scope;
use serde_json::{Value, json};

use super::{LOGS, TRACES, attributes, chat, now, number, request, root, send, traces, without_grace};

/// A request with results of evaluations of a run, by what they say.
fn evaluations(run: u8, results: &[Value]) -> Value {
    let at = now().to_string();
    let record = |result: &Value| {
        let mut said = json!({ "gen_ai.evaluation.name": "correctness" });
        said.as_object_mut().unwrap().extend(result.as_object().unwrap().clone());
        json!({
            "timeUnixNano": at, "eventName": "gen_ai.evaluation.result", "traceId": format!("{run:032x}"),
            "attributes": attributes(&said) })
    };
    let records: Vec<Value> = results.iter().map(record).collect();
    json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": records }] }] })
}

fn label(text: &str) -> Value {
    json!({ "gen_ai.evaluation.score.label": text })
}

async fn send_logs(app: &TestApp, key: &str, records: &Value) -> Value {
    app.send("POST", LOGS, Some(key), &[], Some(records)).await.expect(200).json()
}

/// Signals are not withheld from reviewers.
async fn without_blind_runs(app: &TestApp) {
    let change = json!({ "signals": { "blind_share": 0 } });
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&change)).await.expect(200);
}

#[tokio::test]
async fn a_result_of_an_evaluation_becomes_the_review_of_its_run_once() {
    let app = TestApp::start().await;
    without_grace(&app, json!({})).await;
    without_blind_runs(&app).await;
    send(&app, &[chat(1, 2, "Refund 1182", "Done"), root(1)]).await.expect(200);
    app.learn().await;
    let result = evaluations(1, &[label("Fail")]);
    for _ in 0..2 {
        assert_eq!(send_logs(&app, &app.key, &result).await, json!({}));
    }
    app.learn().await;
    let trace = &traces(&app).await[0];
    assert_eq!(
        (&trace["review"]["result"], &trace["review"]["reviewer"]),
        (&json!("fail"), &json!("signal:evaluation"))
    );
    assert_eq!(number(&app, "select count(*) from signal where trace_id is not null").await, 1);
}

#[tokio::test]
async fn a_result_that_arrives_before_its_run_waits_for_it_and_may_arrive_again() {
    let app = TestApp::start().await;
    without_grace(&app, json!({})).await;
    without_blind_runs(&app).await;
    let result = evaluations(1, &[label("pass")]);
    assert_eq!(send_logs(&app, &app.key, &result).await, json!({}));
    send(&app, &[chat(1, 2, "Refund 1182", "Done"), root(1)]).await.expect(200);
    app.learn().await;
    assert_eq!(traces(&app).await[0]["review"]["result"], "pass");
    // Now it names the trace, and is still the same result.
    assert_eq!(send_logs(&app, &app.key, &result).await, json!({}));
    assert_eq!(number(&app, "select count(*) from signal where key_name = 'otel_trace_id'").await, 1);
    assert_eq!(number(&app, "select count(*) from signal").await, 1);
}

#[tokio::test]
async fn a_key_that_records_runs_sends_no_signals() {
    let app = TestApp::start().await;
    let recorder = app.new_key(Some(&app.project), &[Scope::TraceWrite]).await;
    let answer = send_logs(&app, &recorder, &evaluations(1, &[label("pass")])).await;
    assert_eq!(answer["partialSuccess"]["rejectedLogRecords"], "1");
    assert!(answer["partialSuccess"]["errorMessage"].as_str().unwrap().contains("signal:write"), "{answer}");
    assert_eq!(number(&app, "select count(*) from signal").await, 0);

    // In an event of a span: the span itself is taken.
    let mut judged = chat(1, 2, "Refund 1182", "Done");
    let said = json!({ "gen_ai.evaluation.name": "correctness", "gen_ai.evaluation.score.label": "pass" });
    judged["events"] = json!([{
        "timeUnixNano": judged["endTimeUnixNano"], "name": "gen_ai.evaluation.result", "attributes": attributes(&said) }]);
    let sent = request(std::slice::from_ref(&judged));
    let answer = app.send("POST", TRACES, Some(&recorder), &[], Some(&sent)).await.expect(200).json();
    assert_eq!(answer["partialSuccess"]["rejectedSpans"], "0");
    assert_eq!(number(&app, "select count(*) from otlp_part").await, 1);
    assert_eq!(send(&app, &[judged]).await.expect(200).json(), json!({}), "a key with the scope");
    assert_eq!(number(&app, "select count(*) from signal").await, 1);
}

#[tokio::test]
async fn results_without_a_verdict_or_a_run_are_rejected_one_by_one() {
    let app = TestApp::start().await;
    let mut sent = evaluations(
        1,
        &[
            label("pass"),
            json!({ "gen_ai.evaluation.score.label": "rude", "gen_ai.evaluation.score.value": 1 }),
            label("rude"),
            json!({ "gen_ai.evaluation.score.value": 7 }),
            label("pass"),
        ],
    );
    let records = &mut sent["resourceLogs"][0]["scopeLogs"][0]["logRecords"];
    records[4].as_object_mut().unwrap().remove("traceId");
    let answer = send_logs(&app, &app.key, &sent).await;
    assert_eq!(answer["partialSuccess"]["rejectedLogRecords"], "3");
    let scores = "select count(*) from signal where score = 1 and metadata ->> 'label' = 'rude'";
    assert_eq!((number(&app, "select count(*) from signal").await, number(&app, scores).await), (2, 1));
}
