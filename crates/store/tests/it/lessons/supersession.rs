//! Contradictions: what is superseded, what is asked, and how both are taken back.

use reflect_store::{LessonPlan, MemoryChange, NewMemoryRow, Presence, StoreError};
use reflect_types::{LessonSettings, QuestionAnswer, Trust};

use super::{ACTIVE, Bank, DISABLED, Learned, contradicting, joining};

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
    assert_eq!(bank.project.lessons().open_questions().await.unwrap(), 0);
}

#[tokio::test]
async fn what_evidence_does_not_decide_is_asked_once_until_it_is_answered() {
    let bank = Bank::new().await;
    let good = tried(&bank, true).await;
    let first =
        bank.learn(&contradicting(bank.lesson("no signal?", "replace the card"), &[good.memory])).await;
    let again = joining(bank.lesson("no signal??", "replace the card"), first.memory);
    bank.learn(&contradicting(again, &[good.memory])).await;

    let lessons = bank.project.lessons();
    let (open, next) = lessons.questions(true, None, 10).await.unwrap();
    assert_eq!((open.len(), next), (1, None));
    let question = &open[0];
    assert_eq!((question.first.memory_id, question.second.memory_id), (good.memory, first.memory));
    assert_eq!(question.first.task, "no signal");
    assert_eq!(question.second.reflection, "In `no signal?`: replace the card");
    assert_eq!(question.first.source_trace, Some(good.trace));

    // Answered with an action, which is then undone.
    let superseded = MemoryChange::Presence(Presence::Superseded(first.review));
    bank.curate(good.memory, superseded).await;
    let (actions, _) = bank.project.curation().actions(None, 1, false).await.unwrap();
    let answer = lessons
        .record_answer(question.question_id, QuestionAnswer::Second, Some(actions[0].action_id), "ana")
        .await;
    answer.unwrap();
    let repeated = lessons.record_answer(question.question_id, QuestionAnswer::Both, None, "bea").await;
    assert!(matches!(repeated, Err(StoreError::Conflict { .. })), "{repeated:?}");
    let answered = lessons.question(question.question_id).await.unwrap();
    assert_eq!(
        (answered.answer, answered.answered_by.as_deref()),
        (Some(QuestionAnswer::Second), Some("ana"))
    );
    assert_eq!(lessons.questions(true, None, 10).await.unwrap().0, []);
    assert_eq!(lessons.questions(false, None, 10).await.unwrap().0.len(), 1);

    bank.undo(&actions[0]).await;
    assert_eq!(lessons.open_questions().await.unwrap(), 1);
    assert_eq!(lessons.question(question.question_id).await.unwrap().answer, None);

    // A side that is gone leaves nothing to decide.
    bank.withdraw(good).await;
    assert_eq!(lessons.open_questions().await.unwrap(), 0);
    let gone = lessons.question(question.question_id).await;
    assert!(matches!(gone, Err(StoreError::NotFound { what: "question" })), "{gone:?}");
}
