//! The step follows what the judge proved to know, and below the floor it stops.

use reflect_model::scripted::ScriptedModel;
use reflect_test_support::TestApp;
use serde_json::{Value, json};

use super::{
    given, judge_all, judgement, pending, review_all, set, status, store_all, stored, switch_on, trace,
};

/// How often a judge is wrong, on good runs and on bad ones.
#[derive(Debug, Clone, Copy)]
struct Errors {
    on_passes: f64,
    on_fails: f64,
}

/// What people say of a case: every second one is good.
fn truth(case: u64) -> &'static str {
    if case.is_multiple_of(2) { "pass" } else { "fail" }
}

/// A number from 0 to 1 that a case always has.
fn luck(case: u64) -> f64 {
    let mut mixed = case.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 29)) as f64 / u64::MAX as f64
}

fn says(case: u64, errors: Errors) -> &'static str {
    match truth(case) {
        "pass" if luck(case) < errors.on_passes => "fail",
        "fail" if luck(case) < errors.on_fails => "pass",
        right => right,
    }
}

/// A judge with these errors, and with none once its rubric says so.
fn erring(errors: Errors) -> ScriptedModel {
    ScriptedModel::new().named("erring").otherwise(move |request| {
        let question = &request.messages[1].content;
        let case = question.split("case ").nth(1).and_then(|rest| rest.split_whitespace().next());
        let case = case.and_then(|number| number.parse().ok()).unwrap_or(0);
        let verdict = if question.contains("Look at the total.") { truth(case) } else { says(case, errors) };
        Ok(json!({ "feedback": "As I see it.", "verdict": verdict }).to_string())
    })
}

/// Runs that the judge looks at blind, and that people then review.
async fn overlaps(app: &TestApp, cases: std::ops::Range<u64>) {
    let runs = cases.clone().map(|case| pending(&format!("case {case} of many"))).collect();
    let ids = store_all(app, runs).await;
    judge_all(app).await;
    review_all(app, ids.into_iter().zip(cases.map(truth)).collect()).await;
}

fn agreement(status: &Value, name: &str) -> f64 {
    status["agreement"][name].as_f64().unwrap()
}

#[tokio::test]
async fn the_step_follows_what_the_judge_proved_to_know() {
    for errors in [
        Errors { on_passes: 0.1, on_fails: 0.1 },
        Errors { on_passes: 0.3, on_fails: 0.3 },
        Errors { on_passes: 0.02, on_fails: 0.5 },
    ] {
        let app = given(&erring(errors)).await;
        switch_on(&app, json!({ "blind_share": 1.0 })).await;

        overlaps(&app, 0..300).await;

        let measured = status(&app).await;
        // The last 200 count, 100 of each kind; what the judge said of each is known.
        let right = |kind: &str| {
            (100..300).filter(|case| truth(*case) == kind && says(*case, errors) == kind).count()
        };
        assert_eq!(agreement(&measured, "pairs"), 200.0, "{measured}");
        assert_eq!(agreement(&measured, "passes_right") as usize, right("pass"));
        assert_eq!(agreement(&measured, "fails_right") as usize, right("fail"));
        // What the formula expects of such a judge: a share of 1 − e of 100, with 3 of 4 taken for granted.
        let expected = |error: f64| (100.0 * (1.0 - error) + 3.0) / 104.0;
        let informedness = expected(errors.on_passes) + expected(errors.on_fails) - 1.0;
        // Two standard deviations of what 100 and 100 draws can tell. The draws are the same each time.
        let variance = |error: f64| error * (1.0 - error) / 100.0;
        let tolerance = 2.0 * (variance(errors.on_passes) + variance(errors.on_fails)).sqrt();
        let found = agreement(&measured, "informedness");
        println!("{errors:?}: informedness {found:.3}, expected {informedness:.3} ± {tolerance:.3}");
        assert!((found - informedness).abs() <= tolerance, "{errors:?}: {found}, expected {informedness}");
        assert!((agreement(&measured, "step") - 0.1 * found).abs() < 1e-12);

        // And that is the step of its next review.
        let next = stored(&app, &pending("case 1000 of many")).await;
        switch_on(&app, json!({ "blind_share": 0.0 })).await;
        reflect_test_support::judge_traces(&app, 301).await;
        let alpha = trace(&app, &next).await["review"]["alpha"].as_f64().unwrap();
        assert!((alpha - agreement(&measured, "step")).abs() < 1e-6, "{alpha}");
    }
}

#[tokio::test]
async fn a_judge_that_knows_nothing_stops_says_so_and_begins_again_with_a_better_rubric() {
    let app = given(&erring(Errors { on_passes: 0.0, on_fails: 1.0 })).await;
    switch_on(&app, json!({ "blind_share": 1.0 })).await;
    let webhook = json!({ "url": "http://127.0.0.1:9/", "events": ["judge.stopped"] });
    let webhook = app.post("/webhooks", &webhook).await.expect(201).json();
    overlaps(&app, 0..60).await;

    // Each process looks every few seconds. The stop is announced once.
    for _ in 0..2 {
        app.app.engine().judge.queue_pending().await.unwrap();
    }
    let deliveries = format!("/webhooks/{}/deliveries", webhook["webhook"]["id"].as_str().unwrap());
    let announced = app.get(&deliveries).await.expect(200).json();
    let announced: Vec<&Value> = announced.as_array().unwrap().iter().map(|sent| &sent["event"]).collect();
    assert_eq!(announced, ["judge.stopped"]);
    let stopped = status(&app).await;
    assert_eq!((&stopped["state"], &stopped["stopped"]), (&json!("stopped"), &json!(true)));
    let message = stopped["message"].as_str().unwrap();
    assert!(message.contains("The judge is stopped") && message.contains("0 of 30 fails"), "{message}");
    assert!(stopped["fix"].as_str().unwrap().contains("rubric"), "{stopped}");
    assert_eq!(stopped["settings"]["enabled"], true, "its settings stay");
    let health = app.get("/loop-health").await.expect(200).json();
    let finding =
        health["checks"].as_array().unwrap().iter().find(|c| c["check"] == "judge_unreliable").unwrap();
    assert_eq!(finding["level"], "failing", "{finding}");

    // It goes on where nothing comes of it, and nowhere else.
    switch_on(&app, json!({ "blind_share": 0.5 })).await;
    let runs = (1_000..1_040).map(|case| pending(&format!("case {case} of many"))).collect();
    let later = store_all(&app, runs).await;
    judge_all(&app).await;
    let mut unlooked = Vec::new();
    for id in &later {
        match judgement(&app, id).await {
            Some(kept) => assert!(kept.blind && kept.applied_review.is_none(), "{kept:?}"),
            None => unlooked.push(id.clone()),
        }
    }
    assert!(!unlooked.is_empty() && unlooked.len() < 40, "{} of 40", unlooked.len());

    // Another rubric is another judge: measured from the start, and it looks at what it had to leave.
    set(&app, json!({ "judge": { "rubric": "Look at the total." } })).await;
    let anew = status(&app).await;
    assert_eq!((&anew["state"], agreement(&anew, "pairs")), (&json!("judging"), 0.0));
    judge_all(&app).await;
    for id in &unlooked {
        assert!(judgement(&app, id).await.unwrap().applied_review.is_some());
    }
    switch_on(&app, json!({ "blind_share": 1.0 })).await;
    overlaps(&app, 2_000..2_040).await;
    let better = status(&app).await;
    assert_eq!((&better["state"], agreement(&better, "agreed")), (&json!("judging"), 40.0));
    assert!(agreement(&better, "step") > 0.09, "{better}");
    // With the old words it is the old judge.
    set(&app, json!({ "judge": { "rubric": "" } })).await;
    assert_eq!(status(&app).await["state"], "stopped");
}
