//! Runs with marked steps: one situation per step, in one transaction.

use reflect_rules::lessons::Placement;
use reflect_store::{LessonPlan, NewMemoryRow};
use reflect_types::{LessonId, MemoryId, ReviewId, TraceId};

use super::{ACTIVE, Bank, RETIRED, absorbed, joining};

fn step(memory: NewMemoryRow, step: i16) -> NewMemoryRow {
    NewMemoryRow { lesson: LessonPlan { step: Some(step), ..memory.lesson.clone() }, ..memory }
}

fn run(first: NewMemoryRow, steps: Vec<NewMemoryRow>) -> NewMemoryRow {
    NewMemoryRow { lesson: LessonPlan { steps, ..first.lesson.clone() }, ..first }
}

/// Source review, source run and step of a memory.
async fn source(bank: &Bank, memory: MemoryId) -> (Option<ReviewId>, Option<TraceId>, Option<i16>) {
    sqlx::query_as("select source_review, source_trace, step from memory where memory_id = $1")
        .bind(memory)
        .fetch_one(&mut bank.db.superuser().await)
        .await
        .unwrap()
}

#[tokio::test]
async fn each_step_is_a_situation_of_the_run_and_one_of_them_has_the_review() {
    let bank = Bank::new().await;
    let first = step(bank.lesson("no signal", "restart the phone"), 0);
    let second = step(bank.lesson("still none", "replace the card"), 1);
    let again = step(bank.lesson("none again", "restart the phone"), 2);
    let again = joining(again, first.memory_id);
    let ids = [first.memory_id, second.memory_id, again.memory_id];

    let learned = bank.learn(&run(first, vec![second, again])).await;

    assert_eq!(learned.created, ids[0]);
    assert_eq!(source(&bank, ids[0]).await, (Some(learned.review), Some(learned.trace), Some(0)));
    assert_eq!(source(&bank, ids[1]).await, (None, Some(learned.trace), Some(1)));
    let lessons = [ids[0], ids[1], ids[0]].map(|founder| Some(LessonId::from(founder)));
    for (memory, lesson) in ids.into_iter().zip(lessons) {
        let stat = bank.stat(memory).await;
        assert_eq!((stat.status, stat.searched, stat.lesson_id), (ACTIVE, true, lesson));
    }
    assert_eq!(bank.automatic("lesson.join").await.len(), 1, "one action for the run");
    let detail = bank.project.memories().detail(ids[1]).await.unwrap();
    assert_eq!(detail.provenance.review_id, Some(learned.review), "a step has the review of its run");
}

#[tokio::test]
async fn steps_with_one_text_are_one_lesson_and_a_step_can_be_absorbed() {
    let bank = Bank::new().await;
    let known = bank.learn(&bank.lesson("known", "wait")).await;
    let first = step(bank.lesson("a", "go"), 0);
    let mut same = step(bank.lesson("b", "go"), 1);
    same.reflection = first.reflection.clone();
    let near = absorbed(step(bank.lesson("c", "wait"), 2), known.memory);
    let ids = [first.memory_id, same.memory_id, near.memory_id];

    let learned = bank.learn(&run(first, vec![same, near])).await;

    assert_eq!(bank.created_by(learned.trace).await, Some(ids[0]));
    assert_eq!(bank.stat(ids[1]).await.lesson_id, Some(ids[0].into()));
    assert_eq!(bank.stat(ids[2]).await.merged_into, Some(known.memory));
    assert_eq!(bank.stat(known.memory).await.absorbed, 1);
}

#[tokio::test]
async fn all_situations_of_a_withdrawn_review_are_retired() {
    let bank = Bank::new().await;
    let known = bank.learn(&bank.lesson("known", "wait")).await;
    let first = step(bank.lesson("a", "go"), 0);
    let near = absorbed(step(bank.lesson("c", "wait"), 1), known.memory);
    let apart = step(bank.lesson("d", "stay"), 2);
    let apart =
        NewMemoryRow { lesson: LessonPlan { placement: Placement::Apart, ..apart.lesson.clone() }, ..apart };
    let ids = [first.memory_id, near.memory_id, apart.memory_id];
    let learned = bank.learn(&run(first, vec![near, apart])).await;

    bank.withdraw(learned).await;

    for memory in ids {
        let stat = bank.stat(memory).await;
        assert_eq!((stat.status, stat.searched, stat.parked), (RETIRED, false, false));
    }
    assert_eq!(bank.stat(known.memory).await.absorbed, 0);
    assert_eq!(bank.created_by(learned.trace).await, None);
}
