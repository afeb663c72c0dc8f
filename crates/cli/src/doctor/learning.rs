//! Whether the learning loop is closed: the server's ten rules, each with what to type or to change about it.

use reflect_api::{HealthCheck, HealthLevel, LoopHealth};

use super::report::{Check, Level, Section};

pub(super) fn checks(health: &LoopHealth, project: &str) -> Vec<Check> {
    let mut checks: Vec<Check> = health.checks.iter().map(|found| check(found, project)).collect();
    // As the loop turns, not by how bad they are: whoever looks twice finds them in the same place.
    checks.sort_by_key(|check| ORDER.iter().position(|name| *name == check.check).unwrap_or(ORDER.len()));
    checks
}

const ORDER: [&str; 10] = [
    "nobody_reviews",
    "vague_feedback",
    "judge_unreliable",
    "reflection_failing",
    "always_empty",
    "credit_lost",
    "flat_utilities",
    "duplicates",
    "one_memory_everywhere",
    "sdk_losing_data",
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
        let fix = typed(found).or_else(|| found.fix.clone());
        check.fix = fix.map(|fix| fix.replace("{project_id}", project));
    }
    check
}

/// What to type, or the line of code to change. The server's own words stand where a rule is not known here.
fn typed(found: &HealthCheck) -> Option<String> {
    let number = |name: &str| found.numbers[name].as_f64().unwrap_or_default();
    let fix = match found.check.as_str() {
        "nobody_reviews" => {
            "reflect review --limit 30, or send the outcome with each run: \
             client.create_trace(…, review={\"result\": \"pass\"})"
        }
        "credit_lost" => {
            "pass what was retrieved with the run: client.create_trace(…, retrieved_memory_ids=[m.id for m in memories]), \
             or let client.trace() do both"
        }
        "always_empty" if 2.0 * number("degraded") > number("empty") => {
            "give the server an embedder that answers (see Pipeline), then: reflect retrieve \"a task of yours\" --explain"
        }
        "always_empty" => {
            "reflect retrieve \"a task of yours\" --explain shows near misses; while memories are young, query with \
             lambda_=0.1 and similarity_threshold=0.2"
        }
        "flat_utilities" => {
            "review runs that were shown memories, and let them say so: \
             client.create_trace(…, retrieved_memory_ids=[m.id for m in memories])"
        }
        "reflection_failing" => {
            "mend what the error names in the server's settings, then: reflect doctor --fix"
        }
        "vague_feedback" => {
            "say what was wrong and what would have been right, such as: reflect review ID --fail -m \"The order cost \
             24.00; look the price up before refunding.\""
        }
        "judge_unreliable" => {
            "make its rubric more specific: reflect api PATCH /v1/projects/{project_id} -f 'judge={\"rubric\": \"…\"}', or let another model \
             judge: reflect serve --judge-model"
        }
        "duplicates" => {
            "reflect memories list, then join those that say the same: reflect memories merge ID ID; review one run of a \
             task that comes again and again, not every one"
        }
        "one_memory_everywhere" => {
            "reword it (reflect memories edit ID) or take it out of use (reflect memories disable ID); its id is in the \
             line above"
        }
        "sdk_losing_data" => {
            "on that host: reflect spool status, then reflect spool replay; and see that it reaches this server"
        }
        _ => return None,
    };
    Some(fix.to_owned())
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
    fn every_rule_that_is_broken_has_a_fix_and_no_other_has() {
        let broken = checks(&health(HealthLevel::Failing), "p");
        let well = checks(&health(HealthLevel::Ok), "p");

        assert_eq!(broken.len(), 11);
        assert!(
            broken
                .iter()
                .take(10)
                .all(|check| check.fix.as_deref().is_some_and(|fix| !fix.contains("words")))
        );
        assert_eq!(broken[10].fix.as_deref(), Some("the server's words"));
        assert!(well.iter().all(|check| check.fix.is_none() && check.level == Level::Ok));
    }
}
