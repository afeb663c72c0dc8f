//! An absorbed run has the lesson of the situation that stands for it, whatever happens to that one.

use futures::future::{join, join_all};
use reflect_rules::lessons::Placement;
use reflect_store::{ActionRow, MemoryChange, Presence, StoreError};
use reflect_types::{LessonId, MemoryId, Trust};

use super::{ACTIVE, Bank, Learned, MERGED, absorbed, joining, placed};
use crate::given;

/// A lesson of two situations. The first one absorbed a run.
async fn three(bank: &Bank) -> [Learned; 3] {
    let first = bank.learn(&bank.lesson("no signal", "restart the phone")).await;
    let inside = bank.learn(&absorbed(bank.lesson("no signal!", "restart the phone"), first.memory)).await;
    let second = bank.learn(&joining(bank.lesson("no bars", "restart the phone"), first.memory)).await;
    [first, inside, second]
}

/// The newest actions of people.
async fn actions(bank: &Bank) -> Vec<ActionRow> {
    bank.project.curation().actions(None, 10, false).await.unwrap().0
}

/// Whether a memory is absorbed, and its lesson.
async fn place(bank: &Bank, memory: MemoryId) -> (bool, Option<LessonId>) {
    let stat = bank.stat(memory).await;
    (stat.status == MERGED, stat.lesson_id)
}

#[tokio::test]
async fn what_a_memory_absorbed_is_split_off_with_it() {
    let bank = Bank::new().await;
    let [first, inside, second] = three(&bank).await;
    let (old, curation) = (LessonId::from(first.memory), bank.project.curation());

    let split = curation.split(old, &[first.memory], &given::actor(), Trust::Normal).await;

    let (new, curated) = split.unwrap();
    assert_eq!(curated.changed, [first.memory, inside.memory]);
    assert_eq!(place(&bank, inside.memory).await, (true, Some(new)));
    // The words of the run that was split off are gone from the lesson.
    assert_eq!(bank.project.lessons().get(old).await.unwrap().speaker, second.memory);
    assert_eq!(bank.project.lessons().standing(new, 10).await.unwrap(), [first.memory]);
    assert_eq!(bank.project.lessons().situations(new, 10).await.unwrap().len(), 2);

    bank.undo(&actions(&bank).await[0]).await;
    assert_eq!(place(&bank, first.memory).await, (false, Some(old)));
    assert_eq!(place(&bank, inside.memory).await, (true, Some(old)));
}

#[tokio::test]
async fn an_absorbed_run_is_not_split_off_alone() {
    let bank = Bank::new().await;
    let [first, inside, _] = three(&bank).await;
    let named = [inside.memory];

    let split =
        bank.project.curation().split(first.memory.into(), &named, &given::actor(), Trust::Normal).await;

    match split {
        Err(StoreError::PartOfMemory { into }) => assert_eq!(into, first.memory),
        other => panic!("{other:?}"),
    }
    assert_eq!(place(&bank, inside.memory).await, (true, Some(first.memory.into())));
}

#[tokio::test]
async fn what_a_memory_absorbed_moves_with_it_and_returns_with_the_undo_also_after_its_release() {
    let bank = Bank::new().await;
    let [first, inside, second] = three(&bank).await;
    let other = bank.learn(&bank.lesson("no sound", "raise the volume")).await;
    let (old, new) = (LessonId::from(first.memory), LessonId::from(other.memory));

    bank.curate(first.memory, MemoryChange::Lesson(Some(new))).await;
    assert_eq!(place(&bank, inside.memory).await, (true, Some(new)));
    assert_eq!(place(&bank, second.memory).await, (false, Some(old)));
    bank.withdraw(first).await;
    assert_eq!(bank.status(inside.memory).await, ACTIVE);
    assert_eq!(place(&bank, inside.memory).await, (false, Some(new)), "where its absorber was");

    bank.undo(&actions(&bank).await[0]).await;
    assert_eq!(place(&bank, inside.memory).await, (false, Some(old)));
}

#[tokio::test]
async fn an_absorbed_run_follows_an_undo_that_moves_its_absorber() {
    let bank = Bank::new().await;
    let founder = bank.learn(&bank.lesson("no signal", "restart the phone")).await;
    let first = bank.learn(&joining(bank.lesson("no bars", "restart the phone"), founder.memory)).await;
    let inside = bank.learn(&absorbed(bank.lesson("no bars!", "restart the phone"), first.memory)).await;
    let joins = bank.automatic("lesson.join").await;
    assert_eq!(place(&bank, inside.memory).await, (true, Some(founder.memory.into())));

    bank.undo(&joins[1]).await;
    assert_eq!(place(&bank, first.memory).await, (false, Some(first.memory.into())));
    assert_eq!(place(&bank, inside.memory).await, (true, Some(first.memory.into())));
    bank.undo(&joins[0]).await;
    assert_eq!(place(&bank, inside.memory).await, (false, Some(inside.memory.into())));
}

#[tokio::test]
async fn an_absorber_that_an_undo_would_leave_without_a_lesson_founds_one_until_it_absorbs_nothing() {
    let bank = Bank::new().await;
    let other = bank.learn(&bank.lesson("no sound", "raise the volume")).await;
    let first = bank.learn(&placed(bank.lesson("no signal", "restart"), Placement::Apart)).await;
    bank.curate(first.memory, MemoryChange::Lesson(Some(other.memory.into()))).await;
    let inside = bank.learn(&absorbed(bank.lesson("no signal!", "restart"), first.memory)).await;
    assert_eq!(place(&bank, inside.memory).await, (true, Some(other.memory.into())));

    bank.undo(&actions(&bank).await[0]).await;
    assert_eq!(place(&bank, first.memory).await, (false, Some(first.memory.into())));
    assert_eq!(place(&bank, inside.memory).await, (true, Some(first.memory.into())));
    bank.undo(&bank.automatic("lesson.join").await[0]).await;
    assert_eq!(place(&bank, first.memory).await, (false, None), "as it was stored");
    assert_eq!(place(&bank, inside.memory).await, (false, Some(inside.memory.into())));
}

#[tokio::test]
async fn an_absorbed_run_that_returns_has_the_lesson_that_its_absorber_has_now() {
    let bank = Bank::new().await;
    let [first, inside, _] = three(&bank).await;
    let other = bank.learn(&bank.lesson("no sound", "raise the volume")).await;
    bank.curate(inside.memory, MemoryChange::Presence(Presence::Deleted)).await;
    bank.curate(first.memory, MemoryChange::Lesson(Some(other.memory.into()))).await;
    let old = Some(LessonId::from(first.memory));
    assert_eq!(place(&bank, inside.memory).await, (false, old), "it is not part of its absorber");

    // The deletion.
    bank.undo(&actions(&bank).await[1]).await;

    assert_eq!(place(&bank, inside.memory).await, (true, Some(other.memory.into())));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_of_absorbed_runs_and_of_their_reviews_do_not_deadlock() {
    let bank = Bank::new().await;
    let mut runs = Vec::new();
    for number in 0..20 {
        let first = bank.learn(&bank.lesson(&format!("task {number}"), "restart")).await;
        runs.push(
            bank.learn(&absorbed(bank.lesson(&format!("task {number}!"), "restart"), first.memory)).await,
        );
    }
    let (curation, actor) = (bank.project.curation(), given::actor());
    let change = |number: usize, memory: MemoryId| {
        let (bank, actor) = (&bank, &actor);
        async move {
            match number % 2 {
                0 => bank.curate(memory, MemoryChange::Presence(Presence::Deleted)).await,
                _ => drop(curation.erase(memory, actor, Trust::Normal).await.unwrap()),
            }
        }
    };

    let pairs = runs.iter().enumerate();
    join_all(pairs.map(|(number, run)| join(change(number, run.memory), bank.withdraw(*run)))).await;

    for run in runs {
        assert_ne!(bank.status(run.memory).await, MERGED);
    }
}
