//! Runs that a memory absorbed: who absorbed them, how many they are, what they created, and the lesson that they share with it.

use std::collections::{BTreeMap, HashMap};

use reflect_types::{LessonId, MemoryId};

use super::change::{MemoryChange, MemoryState};
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::ids::ActionId;

/// The memories that these are merged into, once for each of these.
pub(crate) async fn absorbers(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<Vec<MemoryId>, StoreError> {
    let absorbers = sqlx::query_scalar(include_str!("../../sql/lessons/absorbers.sql"));
    Ok(absorbers.bind(transaction.project).bind(memories).fetch_all(&mut **transaction).await?)
}

/// Counts situations that were merged into memories before a change, and those that are now, as [`absorbers`] returns them.
/// The caller holds the locks of the memories.
pub(crate) async fn count_absorbed(
    transaction: &mut ProjectTx,
    before: &[MemoryId],
    now: &[MemoryId],
) -> Result<(), StoreError> {
    let (memories, added): (Vec<MemoryId>, Vec<i32>) = added(before, now).into_iter().unzip();
    if memories.is_empty() {
        return Ok(());
    }
    let counted = sqlx::query(include_str!("../../sql/lessons/count_absorbed.sql"));
    counted.bind(transaction.project).bind(memories).bind(added).execute(&mut **transaction).await?;
    Ok(())
}

/// How the number of each memory changes.
fn added(before: &[MemoryId], now: &[MemoryId]) -> BTreeMap<MemoryId, i32> {
    let mut added: BTreeMap<MemoryId, i32> = BTreeMap::new();
    for (memories, one) in [(before, -1), (now, 1)] {
        for memory in memories {
            *added.entry(*memory).or_default() += one;
        }
    }
    added.retain(|_, added| *added != 0);
    added
}

/// Marks absorptions by memories that are retired or erased, and supersessions by reviews that ended, as undone.
pub(crate) async fn end_stale(transaction: &mut ProjectTx, memories: &[MemoryId]) -> Result<(), StoreError> {
    let ended = sqlx::query(include_str!("../../sql/lessons/end_stale.sql"));
    ended.bind(transaction.project).bind(memories).execute(&mut **transaction).await?;
    Ok(())
}

/// Points runs to what they created: the situation of the run, or the one that absorbed it.
pub(crate) async fn restate_created(
    transaction: &mut ProjectTx,
    created: &[(MemoryId, MemoryId)],
) -> Result<(), StoreError> {
    if created.is_empty() {
        return Ok(());
    }
    let (memories, created): (Vec<MemoryId>, Vec<MemoryId>) = created.iter().copied().unzip();
    let restated = sqlx::query(include_str!("../../sql/lessons/restate_created.sql"));
    restated.bind(transaction.project).bind(memories).bind(created).execute(&mut **transaction).await?;
    Ok(())
}

/// Memories and what is merged into them, directly or through others, by id.
pub(crate) async fn with_absorbed(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<Vec<MemoryId>, StoreError> {
    let reached = sqlx::query_scalar(include_str!("../../sql/lessons/with_absorbed.sql"));
    Ok(reached.bind(transaction.project).bind(memories).fetch_all(&mut **transaction).await?)
}

/// The changes by which merged memories stay in one lesson with the memory that they are merged into, if that one gets another
/// lesson. `states` are those of all of them.
pub(crate) fn following(
    changes: &[(MemoryId, MemoryChange)],
    states: &[MemoryState],
) -> Vec<(MemoryId, MemoryChange)> {
    let lesson_changes = changes.iter().filter_map(|(memory, change)| match change {
        MemoryChange::Lesson(lesson) => Some((*memory, *lesson)),
        _ => None,
    });
    let mut after: HashMap<MemoryId, Option<LessonId>> = lesson_changes.collect();
    let before: HashMap<MemoryId, Option<LessonId>> =
        states.iter().map(|state| (state.memory_id, state.lesson_id)).collect();
    let mut following = Vec::new();
    loop {
        let follows = |state: &MemoryState| {
            let into = state.presence.merged_into()?;
            let lesson = *after.get(&into)?;
            let is_left = before.get(&into) == Some(&state.lesson_id) && lesson != state.lesson_id;
            (is_left && !after.contains_key(&state.memory_id)).then_some((state.memory_id, lesson))
        };
        let found: Vec<(MemoryId, Option<LessonId>)> = states.iter().filter_map(follows).collect();
        if found.is_empty() {
            return following;
        }
        following.extend(found.iter().map(|(memory, lesson)| (*memory, MemoryChange::Lesson(*lesson))));
        after.extend(found);
    }
}

/// An absorbed situation that has another lesson than the one that absorbed it.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct OutOfStep {
    memory_id: MemoryId,
    lesson_id: Option<LessonId>,
    absorber: MemoryId,
    absorber_lesson: Option<LessonId>,
    /// By which it was absorbed.
    action_id: ActionId,
}

/// A change of the lesson of one situation, and the action that it is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LessonStep {
    pub(super) memory_id: MemoryId,
    pub(super) before: Option<LessonId>,
    pub(super) after: LessonId,
    pub(super) action: ActionId,
}

/// The changes that give absorbed situations the lesson of those that absorbed them, if one of both is among these memories.
pub(super) async fn missing_steps(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<Vec<LessonStep>, StoreError> {
    let rows: Vec<OutOfStep> = sqlx::query_as(include_str!("../../sql/lessons/out_of_step.sql"))
        .bind(transaction.project)
        .bind(memories)
        .fetch_all(&mut **transaction)
        .await?;
    Ok(steps(&rows))
}

/// Each follows as a part of the action by which it was absorbed. One that is not grouped and stands for others founds a lesson,
/// as a part of one of these actions.
fn steps(rows: &[OutOfStep]) -> Vec<LessonStep> {
    let mut steps: BTreeMap<MemoryId, LessonStep> = BTreeMap::new();
    for row in rows {
        let (action, after) = (row.action_id, row.absorber_lesson.unwrap_or(row.absorber.into()));
        if row.absorber_lesson.is_none() {
            let founded = LessonStep { memory_id: row.absorber, before: None, after, action };
            steps.entry(row.absorber).or_insert(founded);
        }
        let (memory_id, before) = (row.memory_id, row.lesson_id);
        steps.insert(memory_id, LessonStep { memory_id, before, after, action });
    }
    // The absorbed one may have the lesson already that is founded now.
    steps.into_values().filter(|step| step.before != Some(step.after)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::change::Presence;
    use super::*;
    use reflect_types::{Credit, MemoryStatus, Trust};

    #[test]
    fn a_count_changes_by_what_came_and_what_went() {
        let [stays, grows, shrinks] = [(); 3].map(|()| MemoryId::generate());
        let added = added(&[stays, shrinks, shrinks, grows], &[grows, grows, stays, grows]);
        assert_eq!(added, BTreeMap::from([(grows, 2), (shrinks, -2)]));
    }

    fn state(memory_id: MemoryId, presence: Presence, lesson_id: Option<LessonId>) -> MemoryState {
        MemoryState {
            memory_id,
            presence,
            quarantined: false,
            pinned: false,
            retired: false,
            status: MemoryStatus::Active,
            trust: Trust::Normal,
            q: 0.5,
            reviews: 0,
            passes: 0,
            credit: Credit::START,
            lesson_id,
        }
    }

    #[test]
    fn what_is_merged_follows_into_another_lesson_also_through_others() {
        let [first, second, third, elsewhere, other] = [(); 5].map(|()| MemoryId::generate());
        let (old, new) = (LessonId::from(first), LessonId::generate());
        let merged = |memory, into, lesson| state(memory, Presence::Merged(into), Some(lesson));
        // The third is merged into the second, which is merged into the first.
        let states = [
            merged(third, second, old),
            state(first, Presence::Kept, Some(old)),
            merged(second, first, old),
            merged(elsewhere, first, other.into()),
            state(other, Presence::Kept, Some(old)),
        ];
        let moved = |memory| (memory, MemoryChange::Lesson(Some(new)));

        let found = following(&[moved(first)], &states);

        assert_eq!(found, [moved(second), moved(third)], "one in a lesson of its own stays there");
        assert_eq!(following(&[moved(first), moved(second)], &states), [moved(third)], "each changes once");
        assert!(following(&[moved(other)], &states).is_empty());
        assert!(following(&[(first, MemoryChange::Halved)], &states).is_empty());
        let stays = (first, MemoryChange::Lesson(Some(old)));
        assert!(following(&[stays], &states).is_empty(), "they have that lesson");
    }

    #[test]
    fn absorbed_situations_get_the_lesson_of_the_one_that_absorbed_them() {
        let [absorber, one, other] = [(); 3].map(|()| MemoryId::generate());
        let [by_one, by_other] = [(); 2].map(|()| ActionId::now_v7());
        let (old, new) = (LessonId::generate(), LessonId::generate());
        let row = |memory_id, action_id, absorber_lesson| OutOfStep {
            memory_id,
            lesson_id: Some(old),
            absorber,
            absorber_lesson,
            action_id,
        };
        let step = |memory_id, after, action| LessonStep { memory_id, before: Some(old), after, action };

        let grouped = steps(&[row(one, by_one, Some(new)), row(other, by_other, Some(new))]);
        let founds = steps(&[row(one, by_one, None), row(other, by_other, None)]);

        assert_eq!(grouped, [step(one, new, by_one), step(other, new, by_other)]);
        let own = LessonId::from(absorber);
        let founded = LessonStep { before: None, ..step(absorber, own, by_one) };
        assert_eq!(founds, [founded, step(one, own, by_one), step(other, own, by_other)]);
        let there = OutOfStep { lesson_id: Some(own), ..row(one, by_one, None) };
        assert_eq!(steps(&[there]), [founded], "it has that lesson already");
    }
}
