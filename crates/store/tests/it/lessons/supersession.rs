//! Contradictions: what is superseded, what is asked, and how both are taken back.

use futures::future::join_all;
use reflect_store::{
    ActionId, AnsweredQuestion, CurationRequest, LessonPlan, MemoryChange, MemoryState, NewMemoryRow,
    Presence, StoreError,
};
use reflect_types::{LessonSettings, MemoryId, QuestionAnswer, ReviewId, Trust};
use serde_json::json;
use uuid::Uuid;

use super::{ACTIVE, Bank, DISABLED, Learned, contradicting, joining};
use crate::given;

/// A situation that a run used and failed with: its credit is below 0.5.
async fn tried(bank: &Bank, passed: bool) -> Learned {
    let run = bank.learn(&bank.lesson("no signal", "restart the phone")).await;
    let mut other = bank.lesson("unrelated", if passed { "go on" } else { "give up" });
    other.reflection = format!("{} {}", other.reflection, run.memory);
    other.success = Some(passed);
    other.used = Some(vec![run.memory]);
    bank.learn_with(&other, &[run.memory]).await;
    run
}

#[tokio::test]
async fn a_pass_supersedes_what_was_tried_and_did_not_help() {
    let bank = Bank::new().await;
    let (bad, untried) = (tried(&bank, false).await, bank.learn(&bank.lesson("x", "wait")).await);

    let new = contradicting(bank.lesson("no signal?", "replace the card"), &[bad.memory, untried.memory]);
    let new = bank.learn(&new).await;

    let stat = bank.stat(bad.memory).await;
    assert_eq!((stat.status, stat.superseded_by), (DISABLED, Some(new.review)));
    assert_eq!((stat.searched, stat.parked), (false, true));
    assert_eq!(bank.status(untried.memory).await, ACTIVE);
    let actions = bank.automatic("lesson.supersede").await;
    assert_eq!(actions[0].summary["review_id"], new.review.to_string());

    bank.withdraw(new).await;
    let stat = bank.stat(bad.memory).await;
    assert_eq!((stat.status, stat.superseded_by, stat.searched), (ACTIVE, None, true));
}

#[tokio::test]
async fn supersession_is_undone_and_a_person_can_enable_a_superseded_memory() {
    let bank = Bank::new().await;
    let (one, other) = (tried(&bank, false).await, tried(&bank, false).await);
    let new = contradicting(bank.lesson("no signal?", "replace the card"), &[one.memory, other.memory]);
    let new = bank.learn(&new).await;

    bank.curate(one.memory, MemoryChange::Presence(Presence::Kept)).await;
    assert_eq!(bank.stat(one.memory).await.superseded_by, None);
    bank.undo(&bank.automatic("lesson.supersede").await[0]).await;

    for memory in [one.memory, other.memory] {
        let stat = bank.stat(memory).await;
        assert_eq!((stat.status, stat.superseded_by, stat.searched), (ACTIVE, None, true));
    }
    bank.withdraw(new).await;
    assert_eq!(bank.status(one.memory).await, ACTIVE);
}

#[tokio::test]
async fn the_credit_is_read_after_the_run_moved_it() {
    let bank = Bank::new().await;
    let used = bank.learn(&bank.lesson("no signal", "restart the phone")).await;

    // A failure that used it, with the reviewer's words.
    let mut new = contradicting(bank.lesson("no signal?", "replace the card"), &[used.memory]);
    (new.success, new.used) = (Some(false), Some(vec![used.memory]));
    new.lesson.has_words = true;
    let new = bank.learn_with(&new, &[used.memory]).await;

    assert_eq!(bank.stat(used.memory).await.superseded_by, Some(new.review));
}

#[tokio::test]
async fn untrusted_runs_failures_without_words_and_a_setting_supersede_nothing() {
    let bank = Bank::new().await;
    let bad = tried(&bank, false).await;
    let new = || contradicting(bank.lesson("no signal?", "replace the card"), &[bad.memory]);
    let settings = LessonSettings { supersede: false, ..LessonSettings::default() };
    let quiet = NewMemoryRow { lesson: LessonPlan { settings, ..new().lesson }, ..new() };

    bank.learn(&NewMemoryRow { trust: Trust::Untrusted, ..new() }).await;
    bank.learn(&NewMemoryRow { quarantined: true, ..new() }).await;
    bank.learn(&NewMemoryRow { success: Some(false), ..new() }).await;
    bank.learn(&quiet).await;

    assert_eq!(bank.status(bad.memory).await, ACTIVE);
    assert_eq!(bank.project.lessons().questions().count_open().await.unwrap(), 0);
}

/// Answers a question. With a memory and a review, the review supersedes the memory.
async fn answer(
    bank: &Bank,
    (question_id, answer): (Uuid, QuestionAnswer),
    superseded: Option<(MemoryId, ReviewId)>,
) -> Result<Option<ActionId>, StoreError> {
    let memories: Vec<MemoryId> = superseded.iter().map(|(memory, _)| *memory).collect();
    let request = CurationRequest {
        kind: "lesson.answer",
        summary: json!({}),
        memories: &memories,
        part_of: None,
        texts: &[],
        regroups: false,
        answers: Some(AnsweredQuestion { question_id, answer }),
    };
    let change = |(memory, review)| (memory, MemoryChange::Presence(Presence::Superseded(review)));
    let decide = |_: &[MemoryState]| Ok(superseded.iter().copied().map(change).collect());
    Ok(bank.project.curation().apply(&request, &given::actor(), &decide).await?.action_id)
}

#[tokio::test]
async fn what_evidence_does_not_decide_is_asked_once_until_it_is_answered() {
    let bank = Bank::new().await;
    let good = tried(&bank, true).await;
    let first =
        bank.learn(&contradicting(bank.lesson("no signal?", "replace the card"), &[good.memory])).await;
    let again = joining(bank.lesson("no signal??", "replace the card"), first.memory);
    bank.learn(&contradicting(again, &[good.memory])).await;

    let questions = bank.project.lessons().questions();
    let (open, next) = questions.list(true, None, 10).await.unwrap();
    assert_eq!((open.len(), next), (1, None));
    let question = &open[0];
    assert_eq!((question.first.memory_id, question.second.memory_id), (good.memory, first.memory));
    assert_eq!(question.first.task, "no signal");
    assert_eq!(question.second.reflection, "In `no signal?`: replace the card");
    assert_eq!(question.first.source_trace, Some(good.trace));

    let id = question.question_id;
    let action = answer(&bank, (id, QuestionAnswer::Second), Some((good.memory, first.review))).await;
    let repeated = answer(&bank, (id, QuestionAnswer::Both), None).await;
    assert!(matches!(repeated, Err(StoreError::Conflict { .. })), "{repeated:?}");
    let answered = questions.get(id).await.unwrap();
    assert_eq!((answered.answer, answered.action_id), (Some(QuestionAnswer::Second), action.unwrap()));
    assert_eq!(answered.answered_by.as_deref(), Some("test"));
    assert_eq!(bank.status(good.memory).await, DISABLED);
    assert_eq!(questions.list(true, None, 10).await.unwrap().0, []);
    assert_eq!(questions.list(false, None, 10).await.unwrap().0.len(), 1);

    let undo = async || {
        let (actions, _) = bank.project.curation().actions(None, 1, false).await.unwrap();
        bank.undo(&actions[0]).await;
    };
    undo().await;
    assert_eq!(bank.status(good.memory).await, ACTIVE);
    assert_eq!(questions.count_open().await.unwrap(), 1);
    assert_eq!(questions.get(id).await.unwrap().answer, None);

    // An answer that changes no memory is an action too.
    let both = answer(&bank, (id, QuestionAnswer::Both), None).await.unwrap();
    assert_eq!(questions.get(id).await.unwrap().action_id, both);
    assert!(both.is_some());
    undo().await;
    assert_eq!(questions.count_open().await.unwrap(), 1);

    // A side that is gone leaves nothing to decide.
    bank.withdraw(good).await;
    assert_eq!(questions.count_open().await.unwrap(), 0);
    let gone = questions.get(id).await;
    assert!(matches!(gone, Err(StoreError::NotFound { what: "question" })), "{gone:?}");
    let unknown = answer(&bank, (Uuid::now_v7(), QuestionAnswer::Both), None).await;
    assert!(matches!(unknown, Err(StoreError::NotFound { what: "question" })), "{unknown:?}");
}

#[tokio::test]
async fn a_question_that_became_invisible_is_asked_again_about_other_situations() {
    let bank = Bank::new().await;
    let good = tried(&bank, true).await;
    let against = |lesson: NewMemoryRow| contradicting(lesson, &[good.memory]);
    let first = bank.learn(&against(bank.lesson("no signal?", "replace the card"))).await;
    let second = joining(bank.lesson("no signal??", "replace the card"), first.memory);
    let second = bank.learn(&against(second)).await;
    let questions = bank.project.lessons().questions();
    let open = async || questions.list(true, None, 10).await.unwrap().0;
    let asked = open().await.remove(0);
    assert_eq!(asked.second.memory_id, first.memory, "an open question stays as it is");
    let join = async |task: &str| {
        let lesson = joining(bank.lesson(task, "replace the card"), second.memory);
        bank.learn(&against(lesson)).await
    };

    bank.withdraw(first).await;
    assert_eq!(open().await, []);
    let third = join("no signal!").await;

    let again = open().await;
    assert_eq!((again.len(), again[0].question_id), (1, asked.question_id));
    assert_eq!((again[0].first.memory_id, again[0].second.memory_id), (good.memory, third.memory));

    // An answer holds, also if its sides are gone.
    answer(&bank, (asked.question_id, QuestionAnswer::Both), None).await.unwrap();
    bank.withdraw(third).await;
    join("no signal!!").await;
    assert_eq!(questions.count_open().await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_answers_at_the_same_time_one_counts_and_the_others_change_nothing() {
    let bank = Bank::new().await;
    let good = tried(&bank, true).await;
    let new = bank.learn(&contradicting(bank.lesson("no signal?", "replace the card"), &[good.memory])).await;
    let id = bank.project.lessons().questions().list(true, None, 1).await.unwrap().0[0].question_id;

    let answers = (0..8).map(|number| match number % 2 {
        0 => answer(&bank, (id, QuestionAnswer::First), Some((new.memory, good.review))),
        _ => answer(&bank, (id, QuestionAnswer::Second), Some((good.memory, new.review))),
    });
    let answers = join_all(answers).await;

    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1, "{answers:?}");
    let mut states = [bank.status(good.memory).await, bank.status(new.memory).await];
    states.sort_unstable();
    assert_eq!(states, [ACTIVE, DISABLED], "one side is left");
}
