//! Checks of the learning loop: the server's rules, each with a command or a code change that fixes it.

use reflect_api::{HealthCheck, HealthLevel, LoopHealth};
use serde_json::Value;

use super::report::{Check, Level, Section};

pub(super) fn checks(health: &LoopHealth, project: &str) -> Vec<Check> {
    let mut checks: Vec<Check> = health.checks.iter().map(|found| check(found, project)).collect();
    // A fixed order, not by severity: a check is always in the same place.
    checks.sort_by_key(|check| ORDER.iter().position(|name| *name == check.check).unwrap_or(ORDER.len()));
    checks
}

const ORDER: [&str; 14] = [
    "nobody_reviews",
    "vague_feedback",
    "judge_unreliable",
    "reflection_failing",
    "always_empty",
    "credit_lost",
    "flat_utilities",
    "use_unreliable",
    "duplicates",
    "open_questions",
    "grouping_unfinished",
    "one_memory_everywhere",
    "sdk_losing_data",
    "keys_expiring",
];

fn check(found: &HealthCheck, project: &str) -> Check {
    let level = match found.level {
        HealthLevel::Ok => Level::Ok,
        HealthLevel::Unknown => Level::Skip,
        HealthLevel::Warning => Level::Warn,
        HealthLevel::Failing => Level::Fail,
    };
    let mut check = Check::new(Section::Loop, &found.check, level, &found.message);
    check.numbers = found.numbers.clone();
    if level == Level::Warn || level == Level::Fail {
        let fix = local_fix(found).or_else(|| found.fix.clone());
        check.fix = fix.map(|fix| fix.replace("{project_id}", project));
    }
    check
}

/// The command or the code change that fixes it. `None` for an unknown rule: then the server's text is used.
fn local_fix(found: &HealthCheck) -> Option<String> {
    let number = |name: &str| found.numbers[name].as_f64().unwrap_or_default();
    let fix = match found.check.as_str() {
        "nobody_reviews" => {
            "run `reflect review --limit 30`, or send the outcome with each run: \
             client.create_trace(…, review_result=\"pass\")"
        }
        "credit_lost" => {
            "send the retrieved memories with the run: client.create_trace(…, retrieved_memory_ids=[m.id for m in memories]), \
             or use client.trace(), which does both"
        }
        "always_empty" if 2.0 * number("degraded") > number("empty") => {
            "configure an embedder that works (see Pipeline), then run: reflect retrieve \"a task of yours\" --explain"
        }
        "always_empty" if 2.0 * number("without_room") > number("empty") => {
            "memories were found and did not fit: query with a larger max_tokens, or set memory_tokens of the client"
        }
        "always_empty" => return Some(empty_fix(&found.numbers)),
        "flat_utilities" => {
            "review runs that used memories, and record those memories with the run: \
             client.create_trace(…, retrieved_memory_ids=[m.id for m in memories])"
        }
        "reflection_failing" => {
            "fix the cause of the error in the server's settings, then run: reflect doctor --fix"
        }
        "vague_feedback" => {
            "write what was wrong and what would have been right, for example: reflect review ID --fail -m \"The order cost \
             24.00; look the price up before refunding.\""
        }
        "judge_unreliable" => {
            "make its rubric more specific: reflect api PATCH /v1/projects/{project_id} -f 'judge={\"rubric\": \"…\"}', or use another model \
             as the judge: reflect serve --judge-model"
        }
        "duplicates" => {
            "run `reflect lessons list`, then group lessons with the same advice: reflect lessons group ID ID"
        }
        "open_questions" => {
            "run `reflect lessons questions`, then answer each: reflect lessons answer ID first|second|both|same"
        }
        "use_unreliable" => {
            "send the memories that the run used: client.create_trace(…, used_memory_ids=[…]), or do not infer it: \
             reflect api PATCH /v1/projects/{project_id} -f 'lessons={\"infer_use\": false}'"
        }
        "grouping_unfinished" => {
            "run `reflect lessons status` twice; if the number does not grow, look for errors in the log of the server's \
             workers"
        }
        "one_memory_everywhere" => {
            "edit it (reflect memories edit ID) or disable it (reflect memories disable ID); its id is in the \
             line above"
        }
        "sdk_losing_data" => {
            "on that host run `reflect spool status`, then `reflect spool replay`; check that it can reach this server"
        }
        "keys_expiring" => {
            "run `reflect keys rotate KEY` with the key that the line above names, and give the new key to the program"
        }
        _ => return None,
    };
    Some(fix.to_owned())
}

/// The server suggests a threshold only if the nearest memories are similar enough to help.
fn empty_fix(numbers: &Value) -> String {
    const LOOK: &str = "run `reflect retrieve \"a task of yours\" --explain` to see near misses";
    match (numbers["suggested_threshold"].as_f64(), numbers["near_miss"].as_f64()) {
        (Some(threshold), _) => format!("{LOOK}; query with similarity_threshold={threshold}"),
        (None, Some(_)) => format!(
            "{LOOK}; a lower threshold would return unrelated memories: query with the task text that runs are recorded \
             with, and review runs of these tasks"
        ),
        (None, None) => format!("{LOOK}; check the metadata filter of the query and the project"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn health(level: HealthLevel) -> LoopHealth {
        let check = |name: &str| HealthCheck {
            check: name.to_owned(),
            level,
            message: "m".to_owned(),
            fix: (level == HealthLevel::Failing).then(|| "the server's words".to_owned()),
            numbers: json!({}),
        };
        LoopHealth {
            status: level,
            checks: ORDER.iter().rev().chain(&["new_rule"]).map(|name| check(name)).collect(),
        }
    }

    #[test]
    fn only_broken_rules_have_a_fix() {
        let broken = checks(&health(HealthLevel::Failing), "p");
        let well = checks(&health(HealthLevel::Ok), "p");

        assert_eq!(broken.len(), 15);
        assert!(
            broken
                .iter()
                .take(14)
                .all(|check| check.fix.as_deref().is_some_and(|fix| !fix.contains("words")))
        );
        assert_eq!(broken[14].fix.as_deref(), Some("the server's words"));
        assert!(well.iter().all(|check| check.fix.is_none() && check.level == Level::Ok));
    }

    #[test]
    fn a_threshold_is_suggested_only_if_the_server_suggests_one() {
        let near = empty_fix(&json!({ "near_miss": 0.27, "suggested_threshold": 0.25 }));
        assert!(near.ends_with("similarity_threshold=0.25"), "{near}");
        let far = empty_fix(&json!({ "near_miss": 0.12, "suggested_threshold": null }));
        assert!(far.contains("unrelated") && !far.contains("similarity_threshold="), "{far}");
        assert!(empty_fix(&json!({ "near_miss": null })).contains("metadata filter"));
    }

    #[test]
    fn a_code_change_uses_the_arguments_of_the_python_client() {
        let checks = checks(&health(HealthLevel::Failing), "p");
        let fix = checks[0].fix.as_deref().unwrap();
        assert!(fix.contains("client.create_trace(…, review_result=\"pass\")"), "{fix}");
    }

    #[test]
    fn fixes_of_the_learning_loop() {
        let checks = checks(&health(HealthLevel::Failing), "p");
        let report = super::super::report::Report::new("http://127.0.0.1:8000".into(), "p".into(), checks);

        insta::assert_snapshot!(report.text(false, Some(100)));
    }
}
