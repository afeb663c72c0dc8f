//! Who may send signals, and what those of untrusted keys change.

use reflect_engine::KeyRequest;
use reflect_store::AuditActor;
use reflect_test_support::TestApp;
use reflect_types::{Scope, Trust};
use serde_json::json;

use super::{by, given, number, reported, run, verdict};

pub(super) async fn key(app: &TestApp, scopes: &[Scope], trust: Trust) -> String {
    let request = KeyRequest { scopes: scopes.to_vec(), trust, ..KeyRequest::master("test".to_owned()) };
    let actor = AuditActor::local("test");
    let made = app.app.engine().keys.create_as_operator(Some(&app.project), request, &actor).await;
    made.unwrap().text.expose().to_owned()
}

#[tokio::test]
async fn an_untrusted_key_cannot_take_the_idempotency_keys_of_others_or_their_words() {
    let app = given().await;
    let untrusted = key(&app, &[Scope::SignalWrite], Trust::Untrusted).await;
    let trace = run(&app, json!({})).await;
    let build = |comment: &str| json!({ "source": "ci", "trace_id": trace, "outcome": "fail", "comment": comment, "idempotency_key": "build 7" });
    app.send("POST", &app.path("/signals"), Some(&untrusted), &[], Some(&build("nothing"))).await.expect(202);
    app.learn().await;

    app.post("/signals", &build("2 tests failed")).await.expect(202);
    app.learn().await;

    assert_eq!(number(&app, "select count(*) from signal").await, 2);
    assert_eq!(super::review(&app, &trace).await["feedback_text"], "2 tests failed");
}

#[tokio::test]
async fn a_key_for_ci_can_report_and_nothing_else() {
    let app = given().await;
    let ci = key(&app, &[Scope::SignalWrite], Trust::Normal).await;
    let trace = run(&app, json!({})).await;
    let signal = json!({ "source": "ci", "trace_id": trace, "outcome": "fail" });

    app.send("POST", &app.path("/signals"), Some(&ci), &[], Some(&signal)).await.expect(202);
    app.learn().await;

    assert_eq!(verdict(&app, &trace).await, by("fail", "signal:ci"));
    let review = json!({ "result": "pass", "replace": true });
    let path = app.path(&format!("/traces/{trace}/review"));
    app.send("POST", &path, Some(&ci), &[], Some(&review)).await.expect(403);
    app.send("GET", &app.path(&format!("/traces/{trace}/signals")), Some(&ci), &[], None).await.expect(403);
}

#[tokio::test]
async fn an_untrusted_key_makes_untrusted_reviews_that_move_little() {
    let app = given().await;
    let untrusted = key(&app, &[Scope::SignalWrite], Trust::Untrusted).await;
    let lesson = json!({ "task": "close the ledger", "summary": "Count the rows." });
    let memory = app.post("/memories", &lesson).await.expect(201).json()["memory"]["id"].clone();
    let mut sent = reflect_test_support::trace();
    sent["retrieved_memory_ids"] = json!([memory]);
    let trace = super::stored(&app, &sent).await;
    let signal = json!({ "source": "ci", "trace_id": trace, "outcome": "fail" });
    app.send("POST", &app.path("/signals"), Some(&untrusted), &[], Some(&signal)).await.expect(202);

    app.learn().await;

    assert_eq!(verdict(&app, &trace).await, by("fail", "signal:ci"));
    assert_eq!(number(&app, "select trust::bigint from review").await, i64::from(Trust::Untrusted.code()));
    // It bears the key, which is limited to three votes a day.
    assert_eq!(number(&app, "select count(*) from utility_event where voter is not null").await, 1);

    // It cannot end the review of a trusted key, and a trusted key can end its.
    let opposite = json!({ "source": "merge", "trace_id": trace, "outcome": "pass" });
    app.send("POST", &app.path("/signals"), Some(&untrusted), &[], Some(&opposite)).await.expect(202);
    reported(&app, "evaluation", &trace, "pass").await;
    app.learn().await;
    assert_eq!(verdict(&app, &trace).await, by("pass", "signal:evaluation"));
    let opposite = json!({ "source": "user", "trace_id": trace, "outcome": "fail" });
    app.send("POST", &app.path("/signals"), Some(&untrusted), &[], Some(&opposite)).await.expect(202);
    app.learn().await;
    assert_eq!(verdict(&app, &trace).await, by("pass", "signal:evaluation"));
}
