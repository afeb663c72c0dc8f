//! What lists find and count: texts that are shown, memories of lessons that are not grouped, and runs.

use std::collections::BTreeSet;

use reflect_rules::lessons::Placement;
use reflect_store::{LessonPlan, MemoryChange, MemoryOrder, MemorySelector, NewMemoryRow, Presence};
use reflect_types::{LessonId, MemoryId, MemorySort};

use super::{Bank, absorbed, joining, placed};

async fn matching(bank: &Bank, selection: &MemorySelector) -> BTreeSet<MemoryId> {
    let found = bank.project.memories().matching(selection, MemoryOrder::default(), None, 100).await.unwrap();
    found.into_iter().collect()
}

async fn with_text(bank: &Bank, text: &str) -> BTreeSet<MemoryId> {
    matching(bank, &MemorySelector { text: Some(text.to_owned()), ..MemorySelector::default() }).await
}

async fn of_lesson(bank: &Bank, memory: MemoryId) -> BTreeSet<MemoryId> {
    let selection = MemorySelector { lesson: Some(LessonId::from(memory)), ..MemorySelector::default() };
    matching(bank, &selection).await
}

#[tokio::test]
async fn a_text_is_found_in_the_own_words_and_in_those_that_are_shown() {
    let bank = Bank::new().await;
    let founder = bank.learn(&bank.lesson("printer", "restart")).await.memory;
    let joined = bank.learn(&joining(bank.lesson("scanner", "restart"), founder)).await.memory;
    let other = bank.learn(&bank.lesson("phone", "wait")).await.memory;

    assert_eq!(with_text(&bank, "IN `PRINTER`").await, BTreeSet::from([founder, joined]), "shown by both");
    assert_eq!(with_text(&bank, "in `scanner`").await, BTreeSet::from([joined]), "its own words");
    assert_eq!(with_text(&bank, "scanner").await, BTreeSet::from([joined]), "its task");
    assert_eq!(with_text(&bank, "wait").await, BTreeSet::from([other]));
    assert_eq!(with_text(&bank, "nothing of this").await, BTreeSet::new());
    // Another one speaks for the lesson now.
    bank.curate(founder, MemoryChange::Presence(Presence::Deleted)).await;
    assert_eq!(with_text(&bank, "in `printer`").await, BTreeSet::from([founder]));
    assert_eq!(with_text(&bank, "in `scanner`").await, BTreeSet::from([founder, joined]));
}

#[tokio::test]
async fn a_text_finds_each_lesson_once_whichever_memory_has_it() {
    let bank = Bank::new().await;
    let founder = bank.learn(&bank.lesson("printer", "restart")).await.memory;
    bank.learn(&joining(bank.lesson("scanner", "restart"), founder)).await;
    bank.learn(&joining(bank.lesson("phone", "restart"), founder)).await;
    bank.learn(&bank.lesson("camera", "wait")).await;

    for sort in [MemorySort::Newest, MemorySort::Utility] {
        let order = MemoryOrder { sort, ..MemoryOrder::default() };
        for text in ["in `printer`", "in `scanner`", "in `phone`"] {
            let selection = MemorySelector { text: Some(text.to_owned()), ..MemorySelector::default() };
            let (found, _) = bank.project.lessons().list(&selection, order, None, 10).await.unwrap();
            let found: Vec<LessonId> = found.iter().map(|lesson| lesson.lesson_id).collect();
            assert_eq!(found, [LessonId::from(founder)], "{text}, {sort:?}");
        }
    }
}

#[tokio::test]
async fn a_lesson_that_is_not_grouped_has_all_memories_with_its_text() {
    let bank = Bank::new().await;
    let apart = |task: &str, text: &str| {
        let memory = NewMemoryRow { reflection: text.to_owned(), ..bank.lesson(task, "") };
        placed(memory, Placement::Apart)
    };
    let one = bank.learn(&apart("a", "Restart it.")).await.memory;
    let same = bank.learn(&apart("b", " Restart\nit. ")).await.memory;
    let other = bank.learn(&apart("c", "Wait.")).await.memory;
    let empty = bank.learn(&apart("d", "")).await.memory;

    for memory in [one, same] {
        assert_eq!(of_lesson(&bank, memory).await, BTreeSet::from([one, same]));
    }
    assert_eq!(of_lesson(&bank, other).await, BTreeSet::from([other]));
    assert_eq!(of_lesson(&bank, empty).await, BTreeSet::from([empty]), "without a text it is alone");
    bank.curate(same, MemoryChange::Lesson(Some(same.into()))).await;
    assert_eq!(of_lesson(&bank, one).await, BTreeSet::from([one]), "the other one is grouped now");
    assert_eq!(of_lesson(&bank, same).await, BTreeSet::from([same]));
}

#[tokio::test]
async fn a_review_counts_once_and_so_does_a_run_with_several_steps() {
    let bank = Bank::new().await;
    let mut first = bank.lesson("a", "restart");
    let founder = first.memory_id;
    let mut second = joining(bank.lesson("b", "restart"), founder);
    (first.lesson.step, second.lesson.step) = (Some(0), Some(1));
    let steps = [second.memory_id, founder];
    let run = NewMemoryRow { lesson: LessonPlan { steps: vec![second], ..first.lesson.clone() }, ..first };
    bank.learn(&run).await;
    bank.learn(&absorbed(bank.lesson("a!", "restart"), founder)).await;
    // A run that had both memories, with one review.
    let other = NewMemoryRow { success: Some(false), ..bank.lesson("elsewhere", "give up") };
    bank.learn_with(&other, &steps).await;

    let lesson = bank.project.lessons().get(founder.into()).await.unwrap();

    assert_eq!((lesson.situations, lesson.absorbed), (2, 1));
    assert_eq!((lesson.runs, lesson.passed_runs), (2, 2));
    assert_eq!((lesson.reviews, lesson.passes), (1, 0));
    assert_eq!(lesson.credit, bank.project.memories().get(founder).await.unwrap().credit);
}
