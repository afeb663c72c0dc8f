//! `reflect demo`: the example project.

use crate::dev_process::{Dev, Home};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_example_project_is_created_and_removed() {
    let home = Home::create();
    let before = text(&home.output(&["demo"]).stderr);
    assert!(before.contains("reflect dev"), "{before}");
    let mut dev = Dev::start(&home, &["--demo"]);

    dev.read_until("demo --clean");

    let known = std::fs::read(home.dev().join("demo.json")).unwrap();
    let known: serde_json::Value = serde_json::from_slice(&known).unwrap();
    let key = known["api_key"].as_str().unwrap().to_owned();
    let traces = dev.call(&key, "GET", "/v1/projects/demo/traces?limit=100", "");
    let traces = traces["items"].as_array().or(traces.as_array()).expect("a list of traces");
    let reviewed = traces.iter().filter(|trace| trace["review_status"] == "reviewed").count();
    assert_eq!((traces.len(), reviewed), (30, 20));
    assert!(traces.iter().all(|trace| trace["metadata"]["example"] == true));
    let question = r#"{"task":"Order arrived broken, the customer wants a refund","limit":20}"#;
    let memories = dev.call(&key, "POST", "/v1/projects/demo/memory/query", question);
    let memories = memories.as_array().unwrap();
    let moved = memories.iter().filter(|memory| memory["q_value"] != 0.5).count();
    assert!(
        moved > 0,
        "reviews of runs that were shown memories should have moved some of {}",
        memories.len()
    );

    let again = text(&home.output(&["demo"]).stderr);
    assert!(again.contains("--clean"), "{again}");
    let cleaned = home.output(&["demo", "--clean"]);
    assert!(cleaned.status.success(), "{}", text(&cleaned.stderr));
    assert!(text(&home.output(&["demo"]).stdout).contains("30 runs"), "a second time, after cleaning");
    dev.signal("INT");
    assert_eq!(dev.end().0, Some(0));
    home.expect_nothing_left();
}
