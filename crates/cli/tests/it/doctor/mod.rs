//! `reflect doctor` against a real server: a healthy loop, each of the ten loops broken in its one way, and everything
//! that can be wrong before a loop can even be looked at.

mod breaking;
mod connection;
mod place;

use std::collections::BTreeMap;

use serde_json::Value;

use breaking::BREAKS;
use place::{Place, Seen};

/// The rules of the loop, by name, with how bad each is.
fn rules(seen: &Seen) -> BTreeMap<String, String> {
    let checks = seen.checks();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let rules = checks.iter().filter(|check| check["section"] == "loop");
    rules.map(|check| (text(&check["check"]), text(&check["level"]))).collect()
}

fn all_well() -> BTreeMap<String, String> {
    BREAKS.iter().map(|broken| (broken.check.to_owned(), "ok".to_owned())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_healthy_loop_is_healthy_from_the_connection_on() {
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
    assert!(text.contains("Nothing is wrong."), "{text}");
    assert!(!text.contains("fix:"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_the_ten_broken_loops_is_named_alone_with_its_fix() {
    let place = Place::start().await;
    for broken in BREAKS {
        let project = place.project(&broken.check.replace('_', "-")).await;
        let memories = project.turn(broken.memories_are_there).await;
        // One of them is broken by how the loop turned.
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
async fn lessons_that_were_given_up_are_tried_again_by_the_doctor() {
    let place = Place::start().await;
    let project = place.project("mended").await;
    let memories = project.turn(true).await;
    breaking::refuse_a_lesson(&project, &memories).await;
    let before = project.doctor(&[]);
    assert_eq!(before.check("reflection")["level"], "fail", "{before:?}");
    let unasked = project.run(&["doctor", "--fix"]);
    assert_eq!(unasked.code, 2, "nobody is there to be asked: {unasked:?}");
    place.mend_the_provider();

    let mended = project.run(&["doctor", "--fix", "--yes"]);

    assert!(mended.stderr.contains("1 lessons are tried again"), "{mended:?}");
    project.wait_for_no_failure().await;
    let after = project.doctor(&[]);
    assert_eq!((after.code, rules(&after)), (0, all_well()), "{after:?}");
}
