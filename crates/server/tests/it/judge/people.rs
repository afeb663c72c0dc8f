//! A person and a judge review the same run: the person's verdict counts.

use serde_json::{Value, json};

use super::{always, given, number, pending, stored, switch_on, trace};
use reflect_store::{AuditActor, NewReview};
use reflect_test_support::TestApp;
use reflect_types::{Alpha, MemoryStatus, ReviewId, ReviewMode, ReviewResult};

/// The task of the memory and of the run that is reviewed twice.
const TASK: &str = "close the ledger";
/// The reviewer of the model that [`always`] returns.
const JUDGE: &str = "judge:judge-1";

/// Creates a memory from a reviewed run with this task. Returns its id.
async fn create_memory(app: &TestApp, task: &str) -> String {
    let mut run = pending(task);
    run["review"] = json!({ "result": "pass", "reflection": { "summary": format!("About {task}.") } });
    app.post("/traces", &run).await.expect(201).json()["created_memory_id"].as_str().unwrap().to_owned()
}

/// Everything about a memory that reviews change.
async fn memory_values(app: &TestApp, memory: &str, task: &str) -> Value {
    let found = app.post("/memory/query", &json!({ "task": task })).await.expect(200).json();
    let memory = found.as_array().unwrap().iter().find(|found| found["id"] == memory).unwrap().clone();
    json!({ "q_value": memory["q_value"], "credit": memory["credit"], "evidence": memory["evidence"],
            "reviews": memory["reviews"], "interval": memory["credit_interval"] })
}

/// What [`review_history`] returns.
struct HistoryResult {
    app: TestApp,
    /// The memory before the person's review: the judge's review, if any, has changed it.
    before_person: Value,
    /// The memory at the end.
    at_end: Value,
}

/// Reviews a run that received a memory: first the judge, if it has a verdict, then a person. With `run_between`,
/// another run with the same memory is reviewed between the two.
async fn review_history(judge: Option<&str>, run_between: bool, person: &str) -> HistoryResult {
    let model = always(judge.unwrap_or("unclear"));
    let app = given(&model).await;
    let memory = create_memory(&app, TASK).await;
    let mut run = pending(TASK);
    run["retrieved_memory_ids"] = json!([memory]);
    let trace_id = stored(&app, &run).await;
    if let Some(verdict) = judge {
        switch_on(&app, json!({})).await;
        reflect_test_support::judge_traces(&app, 1).await;
        assert_eq!(trace(&app, &trace_id).await["review"]["result"], verdict);
        super::set(&app, json!({ "judge": { "enabled": false } })).await;
    }
    let before_person = memory_values(&app, &memory, TASK).await;
    if run_between {
        let mut other_run = pending("close the other ledger");
        other_run["retrieved_memory_ids"] = json!([memory]);
        other_run["review"] = json!({ "result": "fail", "feedback_text": "It took the wrong account." });
        app.post("/traces", &other_run).await.expect(202);
        app.learn().await;
    }

    // A person's review replaces that of a judge without the parameter `replace`.
    let reviews = json!({ "reviews": [{ "trace_id": trace_id, "result": person }] });
    let answer = app.post("/reviews/batch", &reviews).await.expect(200).json();
    let review = &answer["results"][0]["review"];
    assert_eq!(review["result"], person, "{answer}");
    // The review has the default `alpha` of a person, not the lower one of a judge.
    let alpha = review["alpha"].as_f64().unwrap();
    assert!((alpha - f64::from(Alpha::DEFAULT.get())).abs() < 1e-6, "{answer}");
    app.learn().await;
    let at_end = memory_values(&app, &memory, TASK).await;
    HistoryResult { app, before_person, at_end }
}

#[tokio::test]
async fn a_persons_verdict_removes_the_effect_of_a_judges_verdict_on_memories() {
    for (judge, person) in [("fail", "pass"), ("pass", "pass"), ("pass", "fail")] {
        let with_judge = review_history(Some(judge), false, person).await;
        let HistoryResult { before_person: unreviewed, at_end: without_judge, .. } =
            review_history(None, false, person).await;

        assert_ne!(with_judge.before_person, unreviewed, "the judge's verdict had no effect on the memory");
        assert_eq!(with_judge.at_end, without_judge, "{judge} replaced by {person}");

        // The same with a run in between. The credit differs: the expected result of that run was computed when it was
        // learned from, while the judge's verdict still counted.
        let judge_and_run = review_history(Some(judge), true, person).await.at_end;
        let only_run = review_history(None, true, person).await.at_end;
        for field in ["q_value", "evidence", "reviews"] {
            assert_eq!(judge_and_run[field], only_run[field], "{field}: {judge} replaced by {person}");
        }
        // The judge's review is kept as history, and the memory that was learned from it is retired.
        let app = &with_judge.app;
        let superseded =
            "select count(*) from review where reviewer = 'judge:judge-1' and superseded_by is not null";
        assert_eq!(number(app, superseded).await, 1);
        let statuses: Vec<i16> = sqlx::query_scalar(
            "select s.status from memory m join memory_stat s using (project_id, memory_id)
             join review r on r.review_id = m.source_review where r.reviewer = 'judge:judge-1'",
        )
        .fetch_all(&mut app.db.superuser().await)
        .await
        .unwrap();
        assert!(statuses.iter().all(|status| *status == MemoryStatus::Retired.code()), "{statuses:?}");
    }
}

#[tokio::test]
async fn a_judge_never_replaces_a_persons_verdict() {
    let app = given(&always("fail")).await;
    let id = stored(&app, &pending(TASK)).await;
    let reviews = json!({ "reviews": [{ "trace_id": id, "result": "pass" }] });
    app.post("/reviews/batch", &reviews).await.expect(200);
    let project = app.app.engine().store.project(app.project_id().await);
    let actor = AuditActor::local(JUDGE);
    let judges_review = NewReview {
        review_id: ReviewId::generate(),
        result: ReviewResult::Fail,
        feedback: None,
        alpha: None,
        mode: ReviewMode::Deferred,
        reviewer: JUDGE.to_owned(),
        authored: None,
        grace: std::time::Duration::ZERO,
        action: None,
        trust: reflect_types::Trust::Normal,
        bounds: None,
        reviewed_at: None,
    };

    // The person's review was stored while the judge waited for its model.
    assert!(!project.judgements().apply(id.parse().unwrap(), &judges_review, &actor).await.unwrap());

    assert_eq!(trace(&app, &id).await["review"]["result"], "pass");
}

#[tokio::test]
async fn a_withdrawn_verdict_of_a_judge_is_not_given_again() {
    let model = always("fail");
    let app = given(&model).await;
    let id = stored(&app, &pending(TASK)).await;
    switch_on(&app, json!({})).await;
    reflect_test_support::judge_traces(&app, 1).await;
    let review = app.path(&format!("/traces/{id}/review"));

    app.send("DELETE", &review, Some(&app.key), &[], None).await.expect(200);
    super::judge_all(&app).await;

    assert_eq!(trace(&app, &id).await["review"], Value::Null);
    assert_eq!(model.calls(), 1);
}

#[tokio::test]
async fn judgements_are_deleted_with_their_run_and_with_their_project() {
    let app = given(&always("unclear")).await;
    let deleted = stored(&app, &pending("case 1")).await;
    stored(&app, &pending("case 2")).await;
    switch_on(&app, json!({})).await;
    reflect_test_support::judge_traces(&app, 2).await;

    app.post("/traces/delete", &json!({ "trace_ids": [deleted] })).await.expect(200);
    assert_eq!(number(&app, "select count(*) from judgement").await, 1);

    app.send("DELETE", &app.path(""), Some(&app.key), &[], None).await.expect(200);
    app.app.engine().store.maintenance().purge_deleted_projects(std::time::Duration::ZERO).await.unwrap();
    assert_eq!(number(&app, "select count(*) from judgement").await, 0);
}
