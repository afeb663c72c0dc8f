//! `reflect demo`: the example project.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::dev_process::{Dev, Home};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// No lesson repeats another, and an answer has at most five lessons, which stand for at most five situations.
fn expect_distinct_lessons(dev: &Dev, key: &str, traces: &[Value]) {
    let lessons = dev.call(key, "GET", "/v1/projects/demo/lessons?limit=100", "");
    let normalised = |lesson: &Value| -> String {
        let words = lesson["reflection"].as_str().unwrap().split_whitespace();
        words.collect::<Vec<_>>().join(" ").to_lowercase()
    };
    let mut texts: Vec<String> = lessons.as_array().unwrap().iter().map(normalised).collect();
    let all = texts.len();
    texts.sort();
    texts.dedup();
    assert!((1..=15).contains(&all) && texts.len() == all, "{lessons}");

    for trace in traces.iter().take(30) {
        let question = json!({ "task": trace["task"], "limit": 5 }).to_string();
        let found = dev.call(key, "POST", "/v1/projects/demo/memory/query", &question);
        let found = found.as_array().unwrap();
        let lessons: BTreeSet<&str> =
            found.iter().map(|memory| memory["lesson_id"].as_str().unwrap()).collect();
        let votes: i64 = found.iter().map(|memory| memory["support"]["situations"].as_i64().unwrap()).sum();
        assert!(lessons.len() == found.len() && found.len() <= 5 && votes <= 5, "{question}: {found:?}");
    }
}

/// Memories help beyond doubt, a judge was measured, a lesson waits in quarantine, and reviews are of many days.
fn expect_evidence(dev: &Dev, key: &str) {
    let get = |path: &str| dev.call(key, "GET", &format!("/v1/projects/demo/{path}"), "");
    let uplift = get("uplift");
    assert!(uplift["difference"]["low"].as_f64().is_some_and(|low| low > 0.0), "{uplift}");
    let judge = get("judge");
    assert!(judge["agreement"]["pairs"].as_u64().is_some_and(|pairs| pairs >= 40), "{judge}");
    let quarantined = get("memories?status=quarantined");
    assert_eq!(
        quarantined["items"].as_array().or(quarantined.as_array()).map(Vec::len),
        Some(1),
        "{quarantined}"
    );
    let overview = get("overview");
    assert!(overview["success_by_day"].as_array().is_some_and(|days| days.len() >= 12), "{overview}");
    assert_ne!(get("overview/story")["story"], Value::Null);
}

#[test]
fn the_example_project_is_created_and_removed() {
    let home = Home::create();
    let before = text(&home.output(&["demo"]).stderr);
    assert!(before.contains("reflect dev"), "{before}");
    let mut dev = Dev::start(&home, &["--demo"]);

    dev.read_until("demo --clean");

    let known = std::fs::read(home.dev().join("demo.json")).unwrap();
    let known: Value = serde_json::from_slice(&known).unwrap();
    let key = known["api_key"].as_str().unwrap().to_owned();
    let traces = dev.call(&key, "GET", "/v1/projects/demo/traces?limit=100", "");
    let traces = traces["items"].as_array().or(traces.as_array()).expect("a list of traces");
    let reviewed = traces.iter().filter(|trace| trace["review_status"] == "reviewed").count();
    assert_eq!((traces.len(), reviewed), (100, 85));
    assert!(traces.iter().all(|trace| trace["metadata"]["example"] == true));
    expect_evidence(&dev, &key);
    // One in five tasks gets no memories, for comparison.
    dev.call(&key, "PATCH", "/v1/projects/demo", r#"{"holdout_rate":0}"#);
    let question = r#"{"task":"Order arrived broken, the customer wants a refund","limit":20}"#;
    let memories = dev.call(&key, "POST", "/v1/projects/demo/memory/query", question);
    let memories = memories.as_array().unwrap();
    let moved = memories.iter().filter(|memory| memory["q_value"] != 0.5).count();
    assert!(
        moved > 0,
        "reviews of runs that were shown memories should have moved some of {}",
        memories.len()
    );

    expect_distinct_lessons(&dev, &key, traces);

    let again = text(&home.output(&["demo"]).stderr);
    assert!(again.contains("--clean"), "{again}");
    let cleaned = home.output(&["demo", "--clean"]);
    assert!(cleaned.status.success(), "{}", text(&cleaned.stderr));
    assert!(text(&home.output(&["demo"]).stdout).contains("211 runs"), "a second time, after cleaning");
    dev.signal("INT");
    assert_eq!(dev.end().0, Some(0));
    home.expect_nothing_left();
}
