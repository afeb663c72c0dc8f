//! What becomes of good, bad and useless answers, through the whole path.

use reflect_model::ModelError;
use reflect_model::scripted::ScriptedModel;
use reflect_types::ReviewResult;
use serde_json::{Value, json};

use super::{always, given, judge_all, judgement, pending, status, stored, switch_on, trace};

#[tokio::test]
async fn a_verdict_becomes_a_review_with_feedback_and_the_judges_own_step() {
    let app = given(&always("fail")).await;
    let id = stored(&app, &pending("pay the invoice")).await;
    switch_on(&app, json!({})).await;

    reflect_test_support::judge_traces(&app, 1).await;

    let judged = trace(&app, &id).await;
    assert_eq!(judged["review"]["result"], "fail");
    assert_eq!(judged["review"]["feedback_text"], "It is a fail.");
    assert_eq!(judged["review"]["mode"], "deferred");
    // Nothing is known of it yet: half of the largest step, which is a third of a person's.
    assert_eq!(judged["review"]["alpha"], 0.05);
    assert_eq!(judged["review_status"], "reviewed", "it is learned from like any other: {judged}");
    let kept = judgement(&app, &id).await.unwrap();
    assert_eq!(kept.model, "judge-1");
    assert!(!kept.blind && kept.applied_review.is_some(), "{kept:?}");
    let status = status(&app).await;
    assert_eq!((&status["state"], &status["last_week"]["applied"]), (&json!("judging"), &json!(1)));
    assert!(status["tokens_today"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn the_lesson_says_that_a_judge_wrote_the_feedback() {
    let answer = json!({ "feedback": "The invoice was paid twice.", "verdict": "fail" }).to_string();
    let app = given(&ScriptedModel::new().named("judge-1").otherwise(move |_| Ok(answer.clone()))).await;
    let id = stored(&app, &pending("pay the invoice")).await;
    switch_on(&app, json!({})).await;

    reflect_test_support::judge_traces(&app, 1).await;

    let judged = trace(&app, &id).await;
    let path = format!("/memories/{}", judged["created_memory_id"].as_str().unwrap());
    let memory = app.get(&path).await.expect(200).json();
    assert_eq!(memory["reflection"], "Written by the judge, a model:\nThe invoice was paid twice.");
    assert_eq!(memory["summary"], "The invoice was paid twice.");
}

#[tokio::test]
async fn no_answer_that_is_not_a_clear_pass_ever_becomes_one() {
    use ReviewResult::{Fail, Pass};
    let sure = |verdict: &str, score: f64| json!({ "verdict": verdict, "score": score }).to_string();
    let table: Vec<(String, Option<ReviewResult>)> = vec![
        (sure("pass", 0.9), Some(Pass)),
        ("Verdict: PASS".into(), Some(Pass)),
        ("FAILURE: not successfully finished".into(), Some(Fail)),
        ("FAILURE: the agent did not successfully complete the task".into(), Some(Fail)),
        (sure("fail", 0.1), Some(Fail)),
        (sure("unclear", 0.5), None),
        // Contradicts itself.
        (sure("pass", 0.1), None),
        (r#"{"verdict": "pass", "score": 85}"#.into(), None),
        (r#"{"verdict": "not a pass"}"#.into(), None),
        (r#"{"verdict": "unsuccessful"}"#.into(), None),
        (r#"{"verdict": true}"#.into(), None),
        (r#"{"success": true}"#.into(), None),
        (r#"{"verdict": "pass"#.into(), None),
        ("The attempt was unsuccessful.".into(), None),
        ("That is not a pass.".into(), None),
        ("PASS/FAIL".into(), None),
        ("Success: false".into(), None),
        ("SUCCESS would look different".into(), None),
        ("PASS.\nVerdict: FAIL".into(), None),
        ("I'm sorry, but I can't help with that.".into(), None),
        ("As an AI language model I cannot pass judgement.".into(), None),
        ("\u{0}\u{1}\u{fffd}{{{{[[[\"pass\"".into(), None),
        ("pass pass pass pass".into(), None),
        (String::new(), None),
    ];
    let answers: Vec<String> = table.iter().map(|(answer, _)| answer.clone()).collect();
    let model = ScriptedModel::new().otherwise(move |request| {
        // Asked again because it could not be read, it says the same again.
        let question = &request.messages[1].content;
        let after = question.split("case <").nth(1).unwrap();
        Ok(answers[after.split('>').next().unwrap().parse::<usize>().unwrap()].clone())
    });
    let app = given(&model).await;
    let mut ids = Vec::new();
    for number in 0..table.len() {
        ids.push(stored(&app, &pending(&format!("case <{number}>"))).await);
    }
    switch_on(&app, json!({})).await;

    reflect_test_support::judge_traces(&app, table.len() as i64).await;

    for (id, (answer, expected)) in ids.iter().zip(&table) {
        let kept = judgement(&app, id).await.unwrap();
        assert_eq!(kept.result, *expected, "{answer}");
        let now = trace(&app, id).await;
        let review = expected.map_or(Value::Null, |result| json!(result.as_str()));
        assert_eq!(now["review"]["result"], review, "{answer}");
        if expected.is_none() {
            assert_eq!(
                (&now["review_status"], &now["ingest_status"]),
                (&json!("pending"), &json!("completed"))
            );
        }
    }
    // They wait for people, and the judge leaves them alone.
    let listed = app.get("/traces?review_status=pending").await.expect(200).json();
    let unclear = table.iter().filter(|(_, expected)| expected.is_none()).count();
    assert_eq!(listed.as_array().unwrap().len(), unclear);
    let calls = model.calls();
    judge_all(&app).await;
    assert_eq!(model.calls(), calls, "nothing is asked twice");
    assert_eq!(status(&app).await["last_week"]["unclear"], unclear);
}

#[tokio::test]
async fn a_refused_call_is_left_to_people_in_the_end_and_never_guessed() {
    let model = ScriptedModel::new().otherwise(|_| Err(ModelError::do_not_retry("a filter objects")));
    let app = given(&model).await;
    let id = stored(&app, &pending("something delicate")).await;
    switch_on(&app, json!({})).await;

    app.app.engine().judge.queue_pending().await.unwrap();
    for tried in 1..=3 {
        // Each time much later; the settings of the project are what wakes it here.
        assert!(judgement(&app, &id).await.is_none());
        app.learn().await;
        assert_eq!(model.calls(), tried);
        switch_on(&app, json!({})).await;
    }

    let kept = judgement(&app, &id).await.unwrap();
    assert_eq!(kept.result, None);
    assert!(kept.feedback.unwrap().contains("a filter objects"));
    assert_eq!(trace(&app, &id).await["review"], Value::Null);
    judge_all(&app).await;
    assert_eq!(model.calls(), 3);
}
