//! Ways to break a learning loop, each with the expected finding of the doctor. All data comes through the API,
//! except earlier verdicts of the judge and open questions, which would need many runs.

use std::pin::Pin;

use reflect_engine::judge_identity;
use reflect_types::JudgeSettings;
use serde_json::json;

use super::place::{Project, REFUSED, old_id, run, task, taught};

type Breaking<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// One way to break a loop.
pub(super) struct Break {
    pub(super) check: &'static str,
    pub(super) level: &'static str,
    /// Words of the expected message.
    pub(super) says: &'static str,
    /// Words of the expected fix.
    pub(super) fix: &'static str,
    /// Whether the memories that runs name exist.
    pub(super) memories_are_there: bool,
    pub(super) break_it: for<'a> fn(&'a Project<'a>, &'a [String]) -> Breaking<'a>,
}

const fn way(
    check: &'static str,
    level: &'static str,
    says: &'static str,
    fix: &'static str,
    break_it: for<'a> fn(&'a Project<'a>, &'a [String]) -> Breaking<'a>,
) -> Break {
    Break { check, level, says, fix, memories_are_there: true, break_it }
}

pub(super) const BREAKS: &[Break] = &[
    way("nobody_reviews", "fail", "130 of 160", "reflect review --limit 30", |project, _| {
        Box::pin(async move {
            let unreviewed = (0..130).map(|number| {
                let mut run = run(1000 + number);
                run["trace_id"] = json!(old_id());
                run
            });
            project.store(unreviewed.collect()).await;
        })
    }),
    way("credit_lost", "warn", "24 of 64 runs", "retrieved_memory_ids", |project, memories| {
        Box::pin(async move {
            let silent = (0..24).map(|number| {
                let mut run = run(number);
                if number >= 12 {
                    let prompt = format!("<memory id=\"{}\">do this</memory>", memories[number]);
                    run["trajectory"] = json!([{ "role": "user", "content": prompt }]);
                }
                run
            });
            project.store(silent.collect()).await;
        })
    }),
    way("always_empty", "fail", "gave nothing", "similarity_threshold=0.", |project, _| {
        Box::pin(async move {
            for number in 0..40 {
                let words = format!("please {}", task(number));
                project.query(json!({ "task": words, "similarity_threshold": 0.99 })).await;
            }
        })
    }),
    Break {
        memories_are_there: false,
        ..way("flat_utilities", "fail", "70 of the 70", "retrieved_memory_ids", |_, _| Box::pin(async {}))
    },
    way(
        "reflection_failing",
        "warn",
        "wants an API key (401)",
        "reflect doctor --fix",
        |project, memories| Box::pin(refuse_a_lesson(project, memories)),
    ),
    way("vague_feedback", "warn", "45 of 80", "reflect review ID --fail -m", |project, _| {
        Box::pin(async move {
            let vague = (0..45).map(|number| {
                let mut run = run(1000 + number);
                run["review"] = json!({ "result": "fail", "feedback_text": "  it was bad.     " });
                run
            });
            project.store(vague.collect()).await;
            project.wait_for_lessons().await;
        })
    }),
    way("judge_unreliable", "warn", "often wrong", "rubric", |project, _| {
        Box::pin(async move {
            let path = format!("/v1/projects/{}", project.name);
            project.call("PATCH", &path, &json!({ "judge": { "enabled": true } })).await;
            let model = project.get("judge").await["model"].as_str().unwrap().to_owned();
            let judge = judge_identity(&JudgeSettings { enabled: true, ..JudgeSettings::default() }, &model);
            let digest: String = judge.rubric_digest.iter().map(|byte| format!("{byte:02x}")).collect();
            // It was wrong on a quarter of 24 runs, half of which passed.
            let judged = format!(
                "insert into judgement (project_id, trace_id, verdict, model, rubric_digest, blind)
                 select project_id, trace_id, case when row_number() over (order by review_id) % 4 = 0
                 then 1 - passed::int else passed::int end, '{model}', '\\x{digest}', true from review
                 where project_id = {{project}} order by review_id limit 24"
            );
            project.sql(&judged).await;
        })
    }),
    way("duplicates", "warn", "16 of the 85", "reflect lessons group", |project, _| {
        Box::pin(async move {
            let other_words = (0..15).map(|number| {
                let mut run = taught(27);
                run["review"]["reflection"]["summary"] =
                    json!(format!("Lesson 27 in other words, {number}."));
                run
            });
            project.store(other_words.collect()).await;
        })
    }),
    way("open_questions", "warn", "21", "reflect lessons answer", |project, _| {
        Box::pin(async move {
            // Each lesson and the next one. Real contradictions would need many runs.
            let questions = "insert into lesson_question (project_id, question_id, first_lesson, second_lesson,
                               first_memory, second_memory, similarity)
                             select project_id, gen_random_uuid(), one, two, one, two, 0.9
                             from (select project_id, memory_id as one, lead(memory_id) over (order by memory_id) as two
                                   from memory_stat where project_id = {project}) pair
                             where two is not null order by one limit 21";
            project.sql(questions).await;
        })
    }),
    way("one_memory_everywhere", "warn", "21 of the last 44", "reflect memories disable", |project, _| {
        Box::pin(async move {
            for _ in 0..20 {
                project.query(json!({ "task": task(3) })).await;
            }
        })
    }),
    way("sdk_losing_data", "fail", "host-2 (reflect-sdk 1.0)", "reflect spool replay", |project, _| {
        Box::pin(async move { project.report("host-2", 3, 5).await })
    }),
    way("keys_expiring", "warn", "1 expire within", "reflect keys rotate", |project, _| {
        Box::pin(async move {
            let wish = json!({ "label": "agent", "scopes": ["memory:read"], "expires_in_days": 7 });
            let made = project.call("POST", "api-keys", &wish).await;
            project.use_key(made["api_key"].as_str().unwrap()).await;
        })
    }),
];

/// A review whose lesson the provider refuses to write.
pub(super) async fn refuse_a_lesson(project: &Project<'_>, _: &[String]) {
    let mut failed = run(500);
    failed["task"] = json!(format!("{} {REFUSED}", task(500)));
    failed["review"] = json!({ "result": "fail", "feedback_text": "The total left the shipping out." });
    let stored = project.store(vec![failed]).await;
    project.wait_for(stored[0]["trace_id"].as_str().unwrap(), "failed").await;
}
