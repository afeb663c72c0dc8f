//! Checks of lessons: whether people answer questions, whether inferred use can be relied on, and whether existing memories
//! are grouped.

use std::time::Duration;

use reflect_rules::inferred_use::UseTally;
use reflect_store::MemoryFacts;
use reflect_types::{GroupingState, HealthLevel};
use serde_json::json;

use super::finding::Finding;

const MOST_QUESTIONS: i64 = 20;
const LONGEST_GROUPING: Duration = Duration::from_secs(24 * 60 * 60);

/// The state of a project's lessons.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LessonFacts {
    /// Pairs of lessons that contradict each other and are not decided.
    pub open_questions: i64,
    /// How the similarity of actions and advice agrees with what clients said they used; `None` if the project does not infer
    /// use.
    pub uses: Option<UseTally>,
    /// The grouping of memories that existed before; `None` if it is not known.
    pub grouping: Option<GroupingState>,
    /// How long ago it began.
    pub grouping_for: Option<Duration>,
}

/// Findings that say nothing about learning unless they are trouble.
pub(super) const CHECKS: [&str; 3] = [OPEN_QUESTIONS, USE_UNRELIABLE, GROUPING_UNFINISHED];
const OPEN_QUESTIONS: &str = "open_questions";
const USE_UNRELIABLE: &str = "use_unreliable";
const GROUPING_UNFINISHED: &str = "grouping_unfinished";

pub(super) fn open_questions(facts: &LessonFacts, memories: &MemoryFacts) -> Finding {
    let open = facts.open_questions;
    let numbers = json!({ "open": open });
    if open == 0 && memories.active == 0 {
        return Finding::unknown(OPEN_QUESTIONS, "There are no lessons yet.".to_owned(), numbers);
    }
    let said = format!("{open} pairs of lessons contradict each other and wait for an answer.");
    if open <= MOST_QUESTIONS {
        return Finding::ok(OPEN_QUESTIONS, said, numbers);
    }
    let fix = "Answer them: GET /v1/projects/{project_id}/lesson-questions lists them with both runs, \
               POST /v1/projects/{project_id}/lesson-questions/{question_id}/answer decides. Until then, agents can get \
               both lessons.";
    Finding::trouble(OPEN_QUESTIONS, HealthLevel::Warning, said, fix, numbers)
}

pub(super) fn use_unreliable(facts: &LessonFacts) -> Finding {
    // Nothing is counted then, so an earlier measurement would stay as it is.
    let Some(uses) = facts.uses else {
        let message = "The project does not infer which lessons a run used.".to_owned();
        return Finding::unknown(USE_UNRELIABLE, message, json!({}));
    };
    let rule = uses.rule();
    let counted = |bins: &[u32]| bins.iter().map(|bin| u64::from(*bin)).sum::<u64>();
    let (used, unused) = (counted(&uses.used), counted(&uses.unused));
    let numbers = json!({ "used": used, "unused": unused, "threshold": rule.threshold, "found": rule.found,
                          "excluded": rule.excluded });
    let Some((found, excluded)) = rule.found.zip(rule.excluded) else {
        let message = format!(
            "Too few to tell: clients named {used} used and {unused} unused lessons, and it takes 50 of each. Until then, use \
             is not inferred."
        );
        return Finding::unknown(USE_UNRELIABLE, message, numbers);
    };
    let said = format!(
        "By comparing actions with advice, {:.0} % of used lessons are found and {:.0} % of unused ones are excluded.",
        100.0 * found,
        100.0 * excluded
    );
    if rule.is_reliable() {
        return Finding::ok(USE_UNRELIABLE, said, numbers);
    }
    let fix = "Use is not inferred while this is so, and all lessons that a run was shown count. Send \
               \"used_memory_ids\" with each trace, or configure a model that writes lessons.";
    Finding::trouble(
        USE_UNRELIABLE,
        HealthLevel::Warning,
        format!("{said} That is hardly better than a guess."),
        fix,
        numbers,
    )
}

pub(super) fn grouping_unfinished(facts: &LessonFacts, memories: &MemoryFacts) -> Finding {
    let state = facts.grouping.filter(|_| memories.active > 0);
    let hours = facts.grouping_for.map(|time| time.as_secs() / 3600);
    let numbers = json!({ "state": state.map(GroupingState::as_str), "hours": hours });
    let Some(state) = state else {
        return Finding::unknown(GROUPING_UNFINISHED, "There are no memories to group.".to_owned(), numbers);
    };
    let is_late = facts.grouping_for.is_some_and(|time| time > LONGEST_GROUPING);
    if state != GroupingState::Running || !is_late {
        let said = format!("The grouping of existing memories is {}.", state.as_str());
        return Finding::ok(GROUPING_UNFINISHED, said, numbers);
    }
    let said = format!("Existing memories have been grouped for {} hours.", hours.unwrap_or_default());
    let fix = "See whether the maintenance step `lessons` fails (reflect doctor). \
               GET /v1/projects/{project_id}/lesson-grouping shows the progress.";
    Finding::trouble(GROUPING_UNFINISHED, HealthLevel::Warning, said, fix, numbers)
}
