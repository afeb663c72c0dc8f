//! Every rule at its threshold.

use std::time::Duration;

use reflect_rules::inferred_use::UseTally;
use reflect_store::{
    ClientFacts, DuplicateFacts, JudgeFacts, KeyFacts, LinkFacts, LoopFacts, MemoryFacts, MostServed,
    RetrievalFacts, ReviewFacts, RipeRuns, VerdictPairs,
};
use reflect_types::{GroupingState, MemoryId};

use super::*;

fn pairs(passes: i64, agreed_passes: i64, fails: i64, agreed_fails: i64) -> VerdictPairs {
    VerdictPairs { passes, agreed_passes, fails, agreed_fails }
}

/// A project in which everything is as it should be.
fn healthy() -> LoopFacts {
    LoopFacts {
        ripe_runs: RipeRuns { runs: 100, unreviewed: 40 },
        links: LinkFacts { linked: 100, found_in_trajectory: 0, inferred: 0 },
        retrievals: RetrievalFacts { retrievals: 100, empty: 10, ..RetrievalFacts::default() },
        most_served: MostServed { retrievals: 90, memory_id: Some(MemoryId::generate()), times: 9 },
        reviews: ReviewFacts { reviews: 100, fails: 40, vague: 4, ..ReviewFacts::default() },
        judges: JudgeFacts { judging: true, pairs: pairs(20, 19, 20, 19) },
        memories: MemoryFacts { active: 100, flat: 50 },
        duplicates: DuplicateFacts { sampled: 100, doubled: 2 },
        clients: ClientFacts { reporting: 3, ..ClientFacts::default() },
        keys: KeyFacts { used: 2, ..KeyFacts::default() },
    }
}

/// Lessons in which everything is as it should be.
fn lessons() -> LessonFacts {
    LessonFacts {
        open_questions: 3,
        uses: Some(uses(0.9, 0.1)),
        grouping: Some(GroupingState::Done),
        grouping_for: None,
    }
}

/// 50 used lessons with one similarity and 50 unused ones with another.
fn uses(used: f32, unused: f32) -> UseTally {
    (0..50).fold(UseTally::default(), |tally, _| tally.after(used, true).after(unused, false))
}

fn finding(check: &str, facts: &LoopFacts) -> Finding {
    let found =
        LearningHealth::of(facts, &lessons()).findings.into_iter().find(|finding| finding.check == check);
    found.unwrap_or_else(|| panic!("no check {check}"))
}

fn level(check: &str, change: impl FnOnce(&mut LoopFacts)) -> HealthLevel {
    let mut facts = healthy();
    change(&mut facts);
    let finding = finding(check, &facts);
    let in_trouble = finding.level >= HealthLevel::Warning;
    assert_eq!(finding.fix.is_some(), in_trouble, "{finding:?}");
    assert!(finding.numbers.is_object() && !finding.message.is_empty(), "{finding:?}");
    finding.level
}

#[test]
fn a_healthy_project_has_fourteen_checks_and_all_are_ok() {
    let health = LearningHealth::of(&healthy(), &lessons());
    assert_eq!(health.findings.len(), 14);
    assert_eq!(health.status, HealthLevel::Ok, "{health:?}");
    assert!(health.findings.iter().all(|finding| finding.level == HealthLevel::Ok), "{health:?}");
}

#[test]
fn of_an_empty_project_nothing_is_known() {
    let health = LearningHealth::of(&LoopFacts::default(), &LessonFacts::default());
    assert_eq!(health.status, HealthLevel::Unknown);
    assert!(health.findings.iter().all(|finding| finding.level == HealthLevel::Unknown), "{health:?}");
}

#[test]
fn the_worst_comes_first_and_unknown_is_worse_than_ok_but_no_trouble() {
    let mut facts = healthy();
    facts.duplicates.doubled = 50;
    facts.clients.reporting = 0;
    let health = LearningHealth::of(&facts, &lessons());
    assert_eq!(health.status, HealthLevel::Warning);
    let order: Vec<_> = health.findings.iter().map(|finding| (finding.level, finding.check)).collect();
    assert_eq!(
        order[..3],
        [
            (HealthLevel::Warning, "duplicates"),
            (HealthLevel::Unknown, "sdk_losing_data"),
            (HealthLevel::Ok, "nobody_reviews"),
        ]
    );
    facts.memories.flat = 100;
    assert_eq!(LearningHealth::of(&facts, &lessons()).findings[0].check, "flat_utilities");

    facts = healthy();
    facts.clients.reporting = 0;
    assert_eq!(LearningHealth::of(&facts, &lessons()).status, HealthLevel::Ok);
}

#[test]
fn nobody_reviews_when_more_than_80_of_100_ripe_runs_wait() {
    let at =
        |runs, unreviewed| level("nobody_reviews", |facts| facts.ripe_runs = RipeRuns { runs, unreviewed });
    assert_eq!((at(100, 80), at(100, 81)), (HealthLevel::Ok, HealthLevel::Failing));
    assert_eq!((at(19, 19), at(20, 20)), (HealthLevel::Unknown, HealthLevel::Failing));
}

#[test]
fn credit_is_lost_when_runs_do_not_say_what_they_had() {
    let at = |linked, found_in_trajectory, inferred| {
        level("credit_lost", |facts| facts.links = LinkFacts { linked, found_in_trajectory, inferred })
    };
    assert_eq!((at(0, 0, 0), at(1, 0, 0)), (HealthLevel::Unknown, HealthLevel::Ok));
    assert_eq!((at(100, 2, 3), at(100, 3, 3)), (HealthLevel::Ok, HealthLevel::Warning));
    assert_eq!((at(100, 25, 25), at(100, 0, 51)), (HealthLevel::Warning, HealthLevel::Failing));
    // A single run is enough to notice, and not enough to condemn.
    assert_eq!((at(1, 0, 1), at(19, 19, 0)), (HealthLevel::Warning, HealthLevel::Warning));
}

#[test]
fn retrievals_are_always_empty_above_a_half_while_there_are_memories() {
    let at = |retrievals, empty| {
        level("always_empty", |facts| {
            facts.retrievals = RetrievalFacts { retrievals, empty, ..Default::default() }
        })
    };
    assert_eq!((at(100, 50), at(100, 51)), (HealthLevel::Ok, HealthLevel::Failing));
    assert_eq!((at(19, 19), at(20, 20)), (HealthLevel::Unknown, HealthLevel::Failing));
    let without_memories = level("always_empty", |facts| {
        facts.retrievals = RetrievalFacts { retrievals: 100, empty: 100, ..Default::default() };
        facts.memories.active = 0;
    });
    assert_eq!(without_memories, HealthLevel::Unknown);
}

#[test]
fn the_fix_for_empty_retrievals_follows_their_cause() {
    let fix = |without_room, degraded| {
        let mut facts = healthy();
        let retrievals =
            RetrievalFacts { retrievals: 100, empty: 80, without_room, degraded, near_miss: Some(0.271) };
        facts.retrievals = retrievals;
        let finding = finding("always_empty", &facts);
        assert!(finding.message.contains("similarity of 0.27 in"), "{}", finding.message);
        finding.fix.unwrap()
    };
    assert!(fix(0, 0).contains("\"similarity_threshold\": 0.25 "));
    assert!(fix(41, 0).contains("max_tokens"));
    assert!(fix(0, 41).contains("X-Reflect-Degraded"));
    assert!(fix(40, 40).contains("similarity_threshold"));
    let mut facts = healthy();
    facts.retrievals =
        RetrievalFacts { retrievals: 100, empty: 80, near_miss: Some(0.12), ..facts.retrievals };
    let unrelated = finding("always_empty", &facts);
    assert!(unrelated.fix.unwrap().contains("unrelated"));
    assert!(unrelated.numbers["suggested_threshold"].is_null());
}

#[test]
fn utilities_are_flat_above_90_of_100_after_50_reviews() {
    let at = |reviews, active, flat| {
        level("flat_utilities", |facts| {
            facts.reviews.reviews = reviews;
            facts.memories = MemoryFacts { active, flat };
        })
    };
    assert_eq!((at(50, 100, 90), at(50, 100, 91)), (HealthLevel::Ok, HealthLevel::Failing));
    assert_eq!(
        (at(49, 100, 100), at(50, 19, 19), at(50, 20, 20)),
        (HealthLevel::Unknown, HealthLevel::Unknown, HealthLevel::Failing)
    );
}

#[test]
fn the_fix_for_flat_utilities_says_whether_runs_had_memories() {
    let fix = |linked| {
        let mut facts = healthy();
        facts.memories.flat = 100;
        facts.links = LinkFacts { linked, ..LinkFacts::default() };
        finding("flat_utilities", &facts).fix.unwrap()
    };
    assert!(fix(0).starts_with("No run had memories in the last 7 days"), "{}", fix(0));
    assert!(fix(12).starts_with("12 runs had memories"), "{}", fix(12));
}

#[test]
fn reflection_fails_with_one_given_up_or_more_than_5_of_100_in_error() {
    let at = |reviews, given_up, waiting| {
        level("reflection_failing", |facts| {
            facts.reviews = ReviewFacts { reviews, given_up, waiting, ..facts.reviews.clone() };
        })
    };
    assert_eq!((at(0, 0, 0), at(1, 0, 0)), (HealthLevel::Unknown, HealthLevel::Ok));
    assert_eq!((at(100, 0, 5), at(100, 0, 6)), (HealthLevel::Ok, HealthLevel::Failing));
    assert_eq!(
        (at(100, 1, 0), at(100, 6, 0), at(100, 3, 3)),
        (HealthLevel::Warning, HealthLevel::Failing, HealthLevel::Failing)
    );
    assert_eq!((at(3, 0, 1), at(3, 3, 0)), (HealthLevel::Warning, HealthLevel::Warning));
}

#[test]
fn the_last_error_is_told_but_not_at_any_length() {
    let mut facts = healthy();
    facts.reviews.given_up = 1;
    facts.reviews.last_error = Some(format!("no such model {}", "x".repeat(5000)));
    let finding = finding("reflection_failing", &facts);
    assert!(finding.message.contains("no such model"), "{}", finding.message);
    assert!(finding.message.len() < 1000, "{}", finding.message.len());
}

#[test]
fn feedback_is_vague_when_more_than_half_of_the_fails_say_nothing() {
    let at = |fails, vague| {
        level("vague_feedback", |facts| facts.reviews = ReviewFacts { fails, vague, ..facts.reviews.clone() })
    };
    assert_eq!((at(40, 20), at(40, 21)), (HealthLevel::Ok, HealthLevel::Warning));
    assert_eq!((at(19, 19), at(20, 20)), (HealthLevel::Unknown, HealthLevel::Warning));
}

#[test]
fn a_judge_is_unreliable_below_80_of_100_and_stopped_when_it_knows_nothing() {
    let at = |pairs| level("judge_unreliable", |facts| facts.judges = JudgeFacts { judging: true, pairs });
    assert_eq!(
        (at(pairs(50, 40, 50, 40)), at(pairs(50, 40, 50, 39))),
        (HealthLevel::Ok, HealthLevel::Warning)
    );
    assert_eq!(
        (at(pairs(9, 0, 10, 0)), at(pairs(10, 0, 10, 0))),
        (HealthLevel::Unknown, HealthLevel::Failing)
    );
    // Agreement alone would have found nothing wrong.
    assert_eq!(at(pairs(180, 180, 20, 0)), HealthLevel::Failing);
    assert_eq!(level("judge_unreliable", |facts| facts.judges = JudgeFacts::default()), HealthLevel::Ok);
}

#[test]
fn memories_repeat_each_other_above_10_of_100() {
    let at = |sampled, doubled| {
        level("duplicates", |facts| facts.duplicates = DuplicateFacts { sampled, doubled })
    };
    assert_eq!((at(200, 20), at(200, 21)), (HealthLevel::Ok, HealthLevel::Warning));
    assert_eq!((at(19, 19), at(20, 20)), (HealthLevel::Unknown, HealthLevel::Warning));
}

#[test]
fn one_memory_is_everywhere_above_40_of_100_where_there_are_others() {
    let at = |active, retrievals, times| {
        level("one_memory_everywhere", |facts| {
            facts.memories.active = active;
            facts.memories.flat = 0;
            facts.most_served = MostServed { retrievals, times, ..facts.most_served };
        })
    };
    assert_eq!((at(100, 100, 40), at(100, 100, 41)), (HealthLevel::Ok, HealthLevel::Warning));
    assert_eq!((at(100, 19, 19), at(19, 100, 100)), (HealthLevel::Unknown, HealthLevel::Unknown));
    assert_eq!(at(20, 20, 20), HealthLevel::Warning);
}

#[test]
fn runs_get_lost_when_clients_say_so() {
    let at = |reporting, losing, dropped, spooled| {
        level("sdk_losing_data", |facts| {
            facts.clients = ClientFacts { reporting, losing, dropped, spooled, ..ClientFacts::default() };
        })
    };
    assert_eq!((at(0, 0, 0, 0), at(1, 0, 0, 0)), (HealthLevel::Unknown, HealthLevel::Ok));
    assert_eq!((at(5, 1, 0, 1), at(5, 1, 1, 0)), (HealthLevel::Warning, HealthLevel::Failing));
}

#[test]
fn keys_that_expire_soon_are_a_warning_and_expired_ones_in_use_are_a_failure() {
    let first = Some("9d2f41aa".to_owned());
    let expiring = KeyFacts { used: 2, expiring: 1, first: first.clone(), ..KeyFacts::default() };
    let expired = KeyFacts { used: 2, expired: 1, first, ..KeyFacts::default() };
    assert_eq!(level("keys_expiring", |facts| facts.keys = expiring), HealthLevel::Warning);
    assert_eq!(level("keys_expiring", |facts| facts.keys = expired), HealthLevel::Failing);
    assert_eq!(level("keys_expiring", |facts| facts.keys = KeyFacts::default()), HealthLevel::Unknown);
}

fn lesson_level(check: &str, facts: LessonFacts) -> HealthLevel {
    let findings = LearningHealth::of(&healthy(), &facts).findings;
    let finding = findings.into_iter().find(|finding| finding.check == check).unwrap();
    assert_eq!(finding.fix.is_some(), finding.level >= HealthLevel::Warning, "{finding:?}");
    finding.level
}

#[test]
fn more_than_20_open_questions_are_a_warning() {
    let at = |open_questions| lesson_level("open_questions", LessonFacts { open_questions, ..lessons() });
    assert_eq!((at(20), at(21)), (HealthLevel::Ok, HealthLevel::Warning));
}

#[test]
fn inferred_use_that_guesses_is_a_warning_once_it_is_measured() {
    let at = |uses| lesson_level("use_unreliable", LessonFacts { uses, ..lessons() });
    assert_eq!(
        (at(Some(UseTally::default())), at(Some(uses(0.5, 0.5))), at(Some(uses(0.8, 0.2)))),
        (HealthLevel::Unknown, HealthLevel::Warning, HealthLevel::Ok)
    );
    assert_eq!(at(None), HealthLevel::Unknown, "the project does not infer use");
}

#[test]
fn a_grouping_that_runs_for_more_than_a_day_is_a_warning() {
    let at = |state, hours: u64| {
        let grouping_for = Some(Duration::from_secs(hours * 3600 + 1));
        lesson_level("grouping_unfinished", LessonFacts { grouping: Some(state), grouping_for, ..lessons() })
    };
    assert_eq!(
        (at(GroupingState::Running, 23), at(GroupingState::Running, 24), at(GroupingState::Done, 99)),
        (HealthLevel::Ok, HealthLevel::Warning, HealthLevel::Ok)
    );
}
