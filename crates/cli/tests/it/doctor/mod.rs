//! `reflect doctor` against a real server: a healthy loop, loops with one problem each, and problems of the connection.

mod breaking;
mod connection;
mod place;

use std::collections::BTreeMap;

use serde_json::Value;

use breaking::BREAKS;
use place::{Place, Seen};

/// The rules of the loop by name, with their severity.
fn rules(seen: &Seen) -> BTreeMap<String, String> {
    let checks = seen.checks();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let rules = checks.iter().filter(|check| check["section"] == "loop");
    rules.map(|check| (text(&check["check"]), text(&check["level"]))).collect()
}

fn all_well() -> BTreeMap<String, String> {
    let mut levels: BTreeMap<_, _> =
        BREAKS.iter().map(|broken| (broken.check.to_owned(), "ok".to_owned())).collect();
    // The master key of these tests belongs to no project, so no key of the project is used.
    levels.insert("keys_expiring".to_owned(), "skip".to_owned());
    levels.insert("use_unreliable".to_owned(), "skip".to_owned());
    levels.insert("grouping_unfinished".to_owned(), "ok".to_owned());
    levels
}

#[tokio::test(flavor = "multi_thread")]
async fn a_healthy_loop_passes_all_checks() {
    let place = Place::start().await;
    let project = place.project("healthy").await;
    project.turn(true).await;

    let seen = project.doctor(&[]);

    assert_eq!(seen.code, 0, "{seen:?}");
    assert_eq!(rules(&seen), all_well(), "{seen:?}");
    for check in
        ["server", "key", "project", "clock", "spool", "database", "queue", "embeddings", "reflection"]
    {
        assert_eq!(seen.check(check)["level"], "ok", "{check}: {seen:?}");
    }
    assert!(seen.checks().iter().all(|check| check["fix"].is_null()), "{seen:?}");
    let text = project.doctor_text(&[]);
    assert!(text.contains("No problems found."), "{text}");
    assert!(!text.contains("fix:"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_broken_loop_has_only_its_own_finding_with_a_fix() {
    let place = Place::start().await;
    for broken in BREAKS {
        let project = place.project(&broken.check.replace('_', "-")).await;
        let memories = project.turn(broken.memories_are_there).await;
        // One of them is broken by the data of the loop itself.
        if broken.memories_are_there {
            assert_eq!(rules(&project.doctor(&[])), all_well(), "before {} is broken", broken.check);
        }

        (broken.break_it)(&project, &memories).await;
        let seen = project.doctor(&[]);

        let mut expected = all_well();
        expected.insert(broken.check.to_owned(), broken.level.to_owned());
        assert_eq!(rules(&seen), expected, "{}: {seen:?}", broken.check);
        let found = seen.check(broken.check);
        assert!(found["message"].as_str().unwrap().contains(broken.says), "{found}");
        assert!(found["fix"].as_str().unwrap().contains(broken.fix), "{found}");
        assert!(found["numbers"].is_object(), "{found}");
        let text = project.doctor_text(&["--only", broken.check]);
        assert!(text.contains(broken.check) && text.contains("fix: "), "{text}");
        let fails = seen.checks().iter().any(|check| check["level"] == "fail");
        assert_eq!(seen.code, if fails { 7 } else { 0 }, "{seen:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_retries_failed_lessons() {
    let place = Place::start().await;
    let project = place.project("fixed").await;
    let memories = project.turn(true).await;
    breaking::refuse_a_lesson(&project, &memories).await;
    let before = project.doctor(&[]);
    assert_eq!(before.check("reflection")["level"], "fail", "{before:?}");
    let unasked = project.run(&["doctor", "--fix"]);
    assert_eq!(unasked.code, 2, "without a terminal: {unasked:?}");
    place.fix_the_provider();

    let fixed = project.run(&["doctor", "--fix", "--yes"]);

    assert!(fixed.stderr.contains("Queued 1 lesson again"), "{fixed:?}");
    project.wait_for_no_failure().await;
    let after = project.doctor(&[]);
    assert_eq!((after.code, rules(&after)), (0, all_well()), "{after:?}");
}
