//! Grouping at the same time, by people, and of a bank of an earlier version.

use std::collections::BTreeSet;

use futures::future::join_all;
use reflect_rules::inferred_use::UseTally;
use reflect_rules::lessons::Placement;
use reflect_rules::replay::{Proof, ReplayCandidate};
use reflect_store::{
    ActionRow, GroupedMemory, GroupingProgress, MemoryChange, NewMemoryRow, ReplayStep, StoreError,
};
use reflect_types::{GroupingState, LessonId, MemoryId, Trust};
use uuid::Uuid;

use super::{ACTIVE, Bank, contradicting, joining, placed};
use crate::given;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_with_one_text_at_the_same_time_are_one_lesson() {
    let bank = Bank::new().await;
    let new: Vec<NewMemoryRow> = (0..12)
        .map(|number| {
            let lesson = bank.lesson(&format!("task {number}"), "restart");
            NewMemoryRow { reflection: " Restart\nthe phone. ".to_owned(), ..lesson }
        })
        .collect();

    let learned = join_all(new.iter().map(|memory| bank.learn(memory))).await;

    let mut lessons = BTreeSet::new();
    for run in &learned {
        lessons.insert(bank.stat(run.memory).await.lesson_id);
    }
    assert_eq!(lessons.len(), 1, "{lessons:?}");
    assert_eq!(bank.automatic("lesson.join").await.len(), 11);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_that_refer_to_each_others_targets_do_not_deadlock() {
    let bank = Bank::new().await;
    let one = bank.learn(&bank.lesson("one", "restart")).await;
    let other = bank.learn(&bank.lesson("two", "wait")).await;
    let new: Vec<NewMemoryRow> = (0..40)
        .map(|number| {
            let (target, against) = if number % 2 == 0 { (one, other) } else { (other, one) };
            let lesson = bank.lesson(&format!("task {number}"), "restart");
            contradicting(joining(lesson, target.memory), &[against.memory])
        })
        .collect();

    // Each of them had both memories, so it locks them for its credit too.
    let linked = [other.memory, one.memory];
    let learned = join_all(new.iter().map(|memory| bank.learn_with(memory, &linked))).await;

    assert_eq!(learned.len(), 40);
}

#[tokio::test]
async fn people_group_and_split_and_undo_it() {
    let bank = Bank::new().await;
    let (one, other) = (bank.learn(&bank.lesson("a", "x")).await, bank.learn(&bank.lesson("b", "y")).await);

    bank.curate(other.memory, MemoryChange::Lesson(Some(one.memory.into()))).await;
    assert_eq!(bank.stat(other.memory).await.lesson_id, Some(one.memory.into()));
    let (actions, _) = bank.project.curation().actions(None, 1, false).await.unwrap();
    bank.undo(&actions[0]).await;

    let stat = bank.stat(other.memory).await;
    assert_eq!((stat.lesson_id, stat.status, stat.searched), (Some(other.memory.into()), ACTIVE, true));
}

/// Memories as an earlier version stored them.
async fn earlier(bank: &Bank, texts: &[&str]) -> Vec<MemoryId> {
    let mut memories = Vec::new();
    for text in texts {
        let memory = NewMemoryRow { reflection: (*text).to_owned(), ..bank.lesson("old", "") };
        let mut memory = placed(memory, Placement::Apart);
        memory.lesson.advice = None;
        memories.push(bank.learn(&memory).await.memory);
    }
    memories
}

fn grouped(memory: MemoryId, lesson: MemoryId) -> GroupedMemory {
    GroupedMemory { memory_id: memory, lesson_id: LessonId::from(lesson), advice: None }
}

fn reached(reached: MemoryId, looked_at: i64, is_last: bool) -> GroupingProgress {
    GroupingProgress { reached, looked_at, is_last }
}

#[tokio::test]
async fn an_earlier_bank_is_grouped_in_batches_and_reverted_by_undo() {
    let bank = Bank::new().await;
    let memories = earlier(&bank, &["Restart it.", "Wait.", "Restart it."]).await;
    let lessons = bank.project.lessons();
    let grouping = lessons.grouping();
    let rows = grouping.ungrouped(Some(bank.space), 2).await.unwrap();
    let ids: Vec<MemoryId> = rows.iter().map(|row| row.memory_id).collect();
    assert_eq!(ids, memories[..2]);
    assert!(rows.iter().all(|row| row.vector.as_ref().is_some_and(|vector| vector.len() == 2)));

    grouping.begin().await.unwrap();
    let first = [grouped(memories[0], memories[0]), grouped(memories[1], memories[1])];
    grouping.group_batch(&first, reached(memories[1], 2, false)).await.unwrap();
    let known = lessons.statistics().await.unwrap();
    assert_eq!((known.grouping, known.grouped, known.to_group), (GroupingState::Running, 2, 3));
    assert_eq!(grouping.ungrouped(None, 10).await.unwrap().len(), 1);
    let rest = [grouped(memories[2], memories[0])];
    grouping.group_batch(&rest, reached(memories[2], 1, true)).await.unwrap();

    let known = lessons.statistics().await.unwrap();
    assert_eq!(known.grouping, GroupingState::Done);
    assert_eq!((known.grouped, known.to_group, known.grouping_since.is_some()), (3, 3, true));
    assert_eq!(bank.stat(memories[2]).await.lesson_id, Some(memories[0].into()));
    let late = grouping.group_batch(&first, reached(memories[1], 2, false)).await;
    assert!(matches!(late, Err(StoreError::Conflict { .. })), "{late:?}");

    grouping.set_state(GroupingState::Reverted).await.unwrap();
    // By a process that saw no memories left.
    grouping.set_state(GroupingState::Done).await.unwrap();
    assert_eq!(lessons.statistics().await.unwrap().grouping, GroupingState::Reverted);
    let actions = bank.automatic("lesson.migrate").await;
    assert_eq!((actions.len(), actions[0].memories), (1, 3));
    bank.undo(&actions[0]).await;
    for memory in memories {
        assert_eq!(bank.stat(memory).await.lesson_id, None);
    }
    grouping.set_state(GroupingState::Waiting).await.unwrap();
    let known = lessons.statistics().await.unwrap();
    assert_eq!((known.grouped, known.grouping_action), (0, None), "it was undone");
    assert_eq!(grouping.ungrouped(None, 10).await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_new_start_continues_the_action_until_that_is_undone() {
    let bank = Bank::new().await;
    let lessons = bank.project.lessons();
    let grouping = lessons.grouping();
    let first = earlier(&bank, &["Restart it."]).await[0];
    grouping.group_batch(&[grouped(first, first)], reached(first, 1, true)).await.unwrap();
    let action = lessons.statistics().await.unwrap().grouping_action.unwrap();

    grouping.set_state(GroupingState::Waiting).await.unwrap();
    assert_eq!(lessons.statistics().await.unwrap().grouping_action, Some(action));
    let second = earlier(&bank, &["Restart it."]).await[0];
    grouping.group_batch(&[grouped(second, first)], reached(second, 1, true)).await.unwrap();
    assert_eq!(bank.automatic("lesson.migrate").await.len(), 1);

    // Undone while the grouping runs again: what follows belongs to another action.
    grouping.set_state(GroupingState::Waiting).await.unwrap();
    bank.undo(&bank.automatic("lesson.migrate").await[0]).await;
    assert_eq!(bank.stat(first).await.lesson_id, None);
    assert_eq!(bank.stat(second).await.lesson_id, None);
    grouping.group_batch(&[grouped(first, first)], reached(first, 1, false)).await.unwrap();

    let actions = bank.automatic("lesson.migrate").await;
    assert_eq!((actions.len(), actions[0].memories), (2, 1));
    assert_eq!(lessons.statistics().await.unwrap().grouping_action, Some(actions[0].action_id));
    let open = bank.project.curation().automatic("lesson.migrate", None, 10).await.unwrap();
    assert_eq!(open, [actions[0].action_id], "the other one is undone");
}

#[tokio::test]
async fn a_memory_that_was_grouped_in_the_meantime_stays_in_its_lesson() {
    let bank = Bank::new().await;
    let memories = earlier(&bank, &["Restart it.", "Wait."]).await;
    let run = bank.learn(&joining(bank.lesson("new", "go"), memories[0])).await;

    let batch: Vec<GroupedMemory> = memories.iter().map(|memory| grouped(*memory, memories[1])).collect();
    bank.project.lessons().grouping().group_batch(&batch, reached(run.memory, 2, true)).await.unwrap();

    assert_eq!(bank.stat(memories[0]).await.lesson_id, Some(memories[0].into()));
    assert_eq!(bank.stat(memories[1]).await.lesson_id, Some(memories[1].into()));
}

/// The newest action of a person.
async fn last_action(bank: &Bank) -> ActionRow {
    bank.project.curation().actions(None, 1, false).await.unwrap().0.remove(0)
}

#[tokio::test]
async fn a_founder_stays_in_its_lesson_while_others_are_in_it() {
    let bank = Bank::new().await;
    let founder = earlier(&bank, &["Restart it."]).await[0];
    let first = bank.learn(&joining(bank.lesson("a", "restart"), founder)).await;
    let second = bank.learn(&joining(bank.lesson("b", "restart"), founder)).await;
    let joins = bank.automatic("lesson.join").await;
    let lesson = Some(LessonId::from(founder));

    // The join by which it founded the lesson.
    bank.undo(&joins[1]).await;
    assert_eq!(bank.stat(first.memory).await.lesson_id, Some(first.memory.into()));
    assert_eq!(bank.stat(second.memory).await.lesson_id, lesson);
    assert_eq!(bank.stat(founder).await.lesson_id, lesson, "the other one is in its lesson");
    bank.undo(&joins[0]).await;
    assert_eq!(bank.stat(second.memory).await.lesson_id, Some(second.memory.into()));
    assert_eq!(bank.stat(founder).await.lesson_id, None, "as before the first join");
}

#[tokio::test]
async fn a_split_is_undone_also_if_another_run_joined_what_was_split_off() {
    let bank = Bank::new().await;
    let one = bank.learn(&bank.lesson("a", "restart")).await;
    let other = bank.learn(&joining(bank.lesson("b", "restart"), one.memory)).await;
    let curation = bank.project.curation();
    let (new, _) =
        curation.split(one.memory.into(), &[other.memory], &given::actor(), Trust::Normal).await.unwrap();
    assert_eq!(new, LessonId::from(other.memory));
    let third = bank.learn(&joining(bank.lesson("c", "restart"), other.memory)).await;

    bank.undo(&last_action(&bank).await).await;

    assert_eq!(bank.stat(other.memory).await.lesson_id, Some(one.memory.into()));
    assert_eq!(bank.stat(third.memory).await.lesson_id, Some(new));
}

#[tokio::test]
async fn what_is_split_off_does_not_get_a_lesson_of_others() {
    let bank = Bank::new().await;
    let (actor, curation) = (given::actor(), bank.project.curation());
    let founder = bank.learn(&bank.lesson("a", "restart")).await;
    let follower = bank.learn(&joining(bank.lesson("b", "restart"), founder.memory)).await;
    let other = bank.learn(&bank.lesson("c", "wait")).await;
    bank.curate(founder.memory, MemoryChange::Lesson(Some(other.memory.into()))).await;
    let lesson = LessonId::from(founder.memory);
    assert_eq!(bank.stat(follower.memory).await.lesson_id, Some(lesson), "its id is still in use");

    let split = curation.split(other.memory.into(), &[founder.memory], &actor, Trust::Normal).await;

    let (new, curated) = split.unwrap();
    assert!(new != lesson && new != LessonId::from(other.memory), "{new}");
    assert_eq!(bank.stat(founder.memory).await.lesson_id, Some(new));
    assert_eq!(bank.project.lessons().get(new).await.unwrap().situations, 1);
    assert_eq!((curated.action_id.is_some(), curated.changed), (true, vec![founder.memory]));
    let again = curation.split(other.memory.into(), &[founder.memory], &actor, Trust::Normal).await;
    assert!(matches!(again, Err(StoreError::Conflict { .. })), "it is not part of the lesson: {again:?}");
    bank.undo(&last_action(&bank).await).await;
    assert_eq!(bank.stat(founder.memory).await.lesson_id, Some(other.memory.into()));
}

#[tokio::test]
async fn near_situations_come_with_the_nearest_one_of_the_same_advice() {
    let bank = Bank::new().await;
    let far = NewMemoryRow { vectors: vec![(bank.space, vec![-0.8, 0.6])], ..bank.lesson("far", "restart") };
    let far = bank.learn(&far).await;
    let near = bank.learn(&bank.lesson("near", "wait")).await;
    let wanted = bank.lesson("x", "Restart.").lesson.advice;
    let lessons = bank.project.lessons();

    let found = lessons.near(bank.space, &[0.6, 0.8], wanted, 1).await.unwrap();
    let only_same = lessons.near(bank.space, &[0.6, 0.8], wanted, 0).await.unwrap();

    let ids: Vec<MemoryId> = found.iter().map(|row| row.memory_id).collect();
    assert_eq!(ids, [near.memory, far.memory]);
    assert_eq!(found[1].advice, wanted.map(|key| key.as_uuid()));
    assert_eq!(found[1].reflection, "In `far`: restart");
    assert_eq!((found[0].lesson_key, found[0].is_protected), (near.memory.as_uuid(), false));
    assert_eq!(only_same.iter().map(|row| row.memory_id).collect::<Vec<_>>(), [far.memory]);

    // The grouping of existing memories compares with grouped ones, not with the memory itself.
    let alone = bank.lesson("alone", "give up");
    let advice = alone.lesson.advice;
    bank.learn(&placed(alone, Placement::Apart)).await;
    assert_eq!(lessons.near(bank.space, &[0.6, 0.8], advice, 0).await.unwrap(), []);
}

#[tokio::test]
async fn statistics_are_kept_for_the_next_review() {
    let bank = Bank::new().await;
    let lessons = bank.project.lessons();
    assert_eq!(lessons.statistics().await.unwrap(), Default::default());
    let lesson = Uuid::now_v7();
    let memory_id = MemoryId::generate();
    let candidates = vec![ReplayCandidate { memory_id, similarity: 0.9, utility: 0.5, lesson }];
    let step = ReplayStep { candidates, limit: 5, proof: Proof::Right(lesson) };

    for _ in 0..2 {
        lessons.record_statistics(Some(&step), &[(0.7, true), (0.2, false)]).await.unwrap();
    }

    let known = lessons.statistics().await.unwrap();
    assert_eq!(known.replay.reviews, 2);
    assert!(known.replay.scores.iter().all(|score| (1.9..2.0).contains(score)), "{:?}", known.replay);
    let tally = UseTally::default();
    let tally = [(0.7, true), (0.2, false), (0.7, true), (0.2, false)]
        .iter()
        .fold(tally, |tally, (similarity, used)| tally.after(*similarity, *used));
    assert_eq!(known.uses, tally);
}
