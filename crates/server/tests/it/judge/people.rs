//! A person's verdict and a judge's on the same run.

use serde_json::{Value, json};

use super::{always, given, number, pending, stored, switch_on, trace};
use reflect_store::{AuditActor, NewReview};
use reflect_test_support::TestApp;
use reflect_types::{ReviewId, ReviewMode, ReviewResult};

/// A memory to be moved, learned from a run about this.
async fn given_memory(app: &TestApp, task: &str) -> String {
    let mut run = pending(task);
    run["review"] = json!({ "result": "pass", "reflection": { "summary": format!("About {task}.") } });
    app.post("/traces", &run).await.expect(201).json()["created_memory_id"].as_str().unwrap().to_owned()
}

/// What a memory is worth, in all its numbers.
async fn worth(app: &TestApp, memory: &str, task: &str) -> Value {
    let found = app.post("/memory/query", &json!({ "task": task })).await.expect(200).json();
    let memory = found.as_array().unwrap().iter().find(|found| found["id"] == memory).unwrap().clone();
    json!({ "q_value": memory["q_value"], "credit": memory["credit"], "evidence": memory["evidence"],
            "reviews": memory["reviews"], "interval": memory["credit_interval"] })
}

/// A history of a memory: a run that had it, which a judge may look at, perhaps a run in between, and what a person then
/// says of the first.
async fn history(judge_says: Option<&str>, between: bool, person_says: &str) -> (Value, Value, TestApp) {
    let model = always(judge_says.unwrap_or("unclear"));
    let app = given(&model).await;
    let memory = given_memory(&app, "close the ledger").await;
    let mut run = pending("close the ledger");
    run["retrieved_memory_ids"] = json!([memory]);
    let judged = stored(&app, &run).await;
    if let Some(says) = judge_says {
        switch_on(&app, json!({})).await;
        reflect_test_support::judge_traces(&app, 1).await;
        assert_eq!(trace(&app, &judged).await["review"]["result"], says);
        super::set(&app, json!({ "judge": { "enabled": false } })).await;
    }
    let before = worth(&app, &memory, "close the ledger").await;
    if between {
        let mut another = pending("close the other ledger");
        another["retrieved_memory_ids"] = json!([memory]);
        another["review"] = json!({ "result": "fail", "feedback_text": "It took the wrong account." });
        app.post("/traces", &another).await.expect(202);
        app.learn().await;
    }

    // Without `replace`, whatever the judge said.
    let said = json!({ "reviews": [{ "trace_id": judged, "result": person_says }] });
    let answer = app.post("/reviews/batch", &said).await.expect(200).json();
    assert_eq!(answer["results"][0]["review"]["result"], person_says, "{answer}");
    assert!((answer["results"][0]["review"]["alpha"].as_f64().unwrap() - 0.3).abs() < 1e-6, "{answer}");
    app.learn().await;
    (before, worth(&app, &memory, "close the ledger").await, app)
}

#[tokio::test]
async fn a_persons_verdict_leaves_no_trace_of_a_judges_in_what_memories_are_worth() {
    for (judge, person) in [("fail", "pass"), ("pass", "pass"), ("pass", "fail")] {
        let (moved, with_judge, app) = history(Some(judge), false, person).await;
        let (untouched, without, _) = history(None, false, person).await;

        assert_ne!(moved, untouched, "the judge's verdict had moved the memory");
        assert_eq!(with_judge, without, "{judge} replaced by {person}");

        // Also when the memory was moved in between. What was to be expected of that other run was found when it was
        // learned from, with the judge's verdict among what was known then, and so its credit is another one.
        let (_, with_judge, _) = history(Some(judge), true, person).await;
        let (_, without, _) = history(None, true, person).await;
        for number in ["q_value", "evidence", "reviews"] {
            assert_eq!(with_judge[number], without[number], "{number}: {judge} replaced by {person}");
        }
        // The judge's review is there as history, the memory it made is not served.
        let ended =
            "select count(*) from review where reviewer = 'judge:judge-1' and superseded_by is not null";
        assert_eq!(number(&app, ended).await, 1);
        let retired = "select count(*) from memory m join memory_stat s using (project_id, memory_id)
                       join review r on r.review_id = m.source_review where r.reviewer like 'judge:%' and s.status <> 2";
        assert_eq!(number(&app, retired).await, 0);
    }
}

#[tokio::test]
async fn a_judge_never_replaces_a_persons_verdict_nor_another_of_its_own() {
    let app = given(&always("fail")).await;
    let id = stored(&app, &pending("close the ledger")).await;
    let said = json!({ "reviews": [{ "trace_id": id, "result": "pass" }] });
    app.post("/reviews/batch", &said).await.expect(200);
    let project = app.app.engine().store.project(app.project_id().await);
    let actor = AuditActor::local("judge:judge-1");
    let late = NewReview {
        review_id: ReviewId::generate(),
        result: ReviewResult::Fail,
        feedback: None,
        alpha: None,
        mode: ReviewMode::Deferred,
        reviewer: "judge:judge-1".to_owned(),
        authored: None,
        grace: std::time::Duration::ZERO,
        action: None,
        trust: reflect_types::Trust::Normal,
        bounds: None,
    };

    // The person decided while the model was being asked.
    assert!(!project.judgements().apply(id.parse().unwrap(), &late, &actor).await.unwrap());

    assert_eq!(trace(&app, &id).await["review"]["result"], "pass");
}

#[tokio::test]
async fn a_judges_verdict_that_was_taken_back_does_not_come_again() {
    let model = always("fail");
    let app = given(&model).await;
    let id = stored(&app, &pending("close the ledger")).await;
    switch_on(&app, json!({})).await;
    reflect_test_support::judge_traces(&app, 1).await;
    let review = app.path(&format!("/traces/{id}/review"));

    app.send("DELETE", &review, Some(&app.key), &[], None).await.expect(200);
    super::judge_all(&app).await;

    assert_eq!(trace(&app, &id).await["review"], Value::Null);
    assert_eq!(model.calls(), 1);
}

#[tokio::test]
async fn deleted_runs_take_their_judgements_along_and_so_does_a_deleted_project() {
    let app = given(&always("unclear")).await;
    let gone = stored(&app, &pending("case 1")).await;
    stored(&app, &pending("case 2")).await;
    switch_on(&app, json!({})).await;
    reflect_test_support::judge_traces(&app, 2).await;

    app.post("/traces/delete", &json!({ "trace_ids": [gone] })).await.expect(200);
    assert_eq!(number(&app, "select count(*) from judgement").await, 1);

    app.send("DELETE", &app.path(""), Some(&app.key), &[], None).await.expect(200);
    app.app.engine().store.maintenance().purge_deleted_projects(std::time::Duration::ZERO).await.unwrap();
    assert_eq!(number(&app, "select count(*) from judgement").await, 0);
}
