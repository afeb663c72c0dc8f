//! Groups the memories that existed before lessons were grouped, oldest first: by structure alone, without a model. Nothing
//! is absorbed or superseded.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use reflect_rules::lessons::{AdviceKey, AdviceKind, AdviceText, JOINS, advice_key};
use reflect_store::{
    GroupedMemory, GroupingProgress, MaintainedProject, NearRow, ProjectCtx, SpaceId, Store, StoreError,
    UngroupedRow,
};
use reflect_types::{GroupingState, LessonGrouping, LessonId};

use crate::project_cache;

/// How many memories are grouped in one transaction.
const BATCH: i64 = 500;
/// After this time, what is compared is stored, however few memories it is. Maintenance has a time limit, after which what is
/// not stored is compared again.
const COMMIT_AFTER: Duration = Duration::from_secs(2);

/// Continues the grouping of a project, if it is not done. Returns how many memories were looked at. May be interrupted.
pub(super) async fn advance(store: &Store, project: &MaintainedProject) -> Result<u64, StoreError> {
    let settings = project_cache::settings(&project.settings).lessons;
    let context = store.project(project.project_id);
    let state = match settings.grouping {
        LessonGrouping::Off => return Ok(0),
        LessonGrouping::Automatic | LessonGrouping::Structure => {
            context.lessons().statistics().await?.grouping
        }
    };
    if !matches!(state, GroupingState::Waiting | GroupingState::Running) {
        return Ok(0);
    }
    let space = store.catalogue().project_facts(project.project_id).await?.read_space;
    let (mut looked_at, mut waits) = (0, state == GroupingState::Waiting);
    loop {
        let rows = context.lessons().grouping().ungrouped(space, BATCH).await?;
        if rows.is_empty() {
            context.lessons().grouping().set_state(GroupingState::Done).await?;
            return Ok(looked_at);
        }
        if std::mem::take(&mut waits) {
            context.lessons().grouping().begin().await?;
        }
        let batch = grouped(&context, space, &rows, COMMIT_AFTER).await?;
        let is_last = (rows.len() as i64) < BATCH && batch.looked_at == rows.len();
        let Some(last) = rows[..batch.looked_at].last() else { return Ok(looked_at) };
        let progress =
            GroupingProgress { reached: last.memory_id, looked_at: batch.looked_at as i64, is_last };
        match context.lessons().grouping().group_batch(&batch.memories, progress).await {
            // Another process was faster, or the grouping was reverted.
            Err(StoreError::Conflict { .. }) => return Ok(looked_at),
            done => done?,
        }
        metrics::counter!("reflect_lesson_grouping_memories_total").increment(batch.memories.len() as u64);
        looked_at += batch.looked_at as u64;
        if is_last {
            return Ok(looked_at);
        }
    }
}

/// The memories of a batch that get a lesson.
struct Batch {
    memories: Vec<GroupedMemory>,
    /// How many rows were compared. Some of them may stay without a lesson.
    looked_at: usize,
}

impl Batch {
    /// Whether the next row is left to the next batch. A batch has at least one row, so the grouping always advances.
    fn is_over(&self, worked: Duration, commit_after: Duration) -> bool {
        self.looked_at > 0 && worked >= commit_after
    }
}

/// The lessons of a batch: that of the most similar earlier memory with the same advice, else an own one.
async fn grouped(
    context: &ProjectCtx,
    space: Option<SpaceId>,
    rows: &[UngroupedRow],
    commit_after: Duration,
) -> Result<Batch, StoreError> {
    let began = Instant::now();
    let mut batch = Batch { memories: Vec::with_capacity(rows.len()), looked_at: 0 };
    // Trusted memories of this batch by their advice, with their lessons.
    let mut earlier: HashMap<AdviceKey, Vec<(&UngroupedRow, LessonId)>> = HashMap::new();
    for row in rows {
        if batch.is_over(began.elapsed(), commit_after) {
            break;
        }
        batch.looked_at += 1;
        let advice = advice_of(row);
        let trusted = advice.filter(|_| !row.untrusted && !row.quarantined);
        let mut lesson = None;
        if let Some(key) = trusted {
            let stored = match (space, &row.vector) {
                (Some(space), Some(vector)) => context.lessons().near(space, vector, trusted, 0).await?,
                _ => Vec::new(),
            };
            let same_batch = earlier.get(&key).map(Vec::as_slice).unwrap_or_default();
            lesson = most_similar(key, row, &stored, same_batch);
            // Without a vector, memories with the same text are not found. They keep the lesson of their text.
            if lesson.is_none() && row.vector.is_none() {
                continue;
            }
        }
        let lesson_id = lesson.unwrap_or_else(|| LessonId::from(row.memory_id));
        if let Some(key) = trusted {
            earlier.entry(key).or_default().push((row, lesson_id));
        }
        batch.memories.push(GroupedMemory { memory_id: row.memory_id, lesson_id, advice });
    }
    Ok(batch)
}

/// What a stored memory advises. Which ones describe a run is not stored, so their tools do not count.
fn advice_of(row: &UngroupedRow) -> Option<AdviceKey> {
    advice_key(&AdviceText {
        correct_action: &row.correct_action,
        approach: &[],
        reflection: &row.reflection,
    })
}

/// The lesson of the most similar trusted memory with the same advice, if it is similar enough. Identical texts need no
/// similarity.
fn most_similar(
    key: AdviceKey,
    row: &UngroupedRow,
    stored: &[NearRow],
    same_batch: &[(&UngroupedRow, LessonId)],
) -> Option<LessonId> {
    let stored = stored
        .iter()
        .filter(|near| {
            near.advice == Some(key.as_uuid()) && !near.untrusted && near.memory_id != row.memory_id
        })
        .map(|near| (near.similarity, near.lesson_id.unwrap_or_else(|| LessonId::from(near.memory_id))));
    let same_batch = same_batch.iter().map(|(other, lesson)| (similarity(row, other), *lesson));
    let is_enough = |similarity: f32| similarity >= JOINS || key.kind() == AdviceKind::Text;
    let same = stored.chain(same_batch).filter(|(similarity, _)| is_enough(*similarity));
    same.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, lesson)| lesson)
}

/// The cosine, because vectors have the length 1. Without vectors, two memories are not similar.
fn similarity(one: &UngroupedRow, other: &UngroupedRow) -> f32 {
    match (&one.vector, &other.vector) {
        (Some(one), Some(other)) => one.iter().zip(other).map(|(one, other)| one * other).sum(),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use reflect_types::MemoryId;
    use uuid::Uuid;

    use super::*;

    fn row(number: u128, correct_action: &str, vector: Option<[f32; 2]>) -> UngroupedRow {
        UngroupedRow {
            memory_id: MemoryId::from_uuid(Uuid::from_u128(number)),
            correct_action: correct_action.to_owned(),
            reflection: "Look first.".to_owned(),
            untrusted: false,
            quarantined: false,
            vector: vector.map(|vector| vector.to_vec()),
        }
    }

    fn lesson(number: u128) -> LessonId {
        LessonId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn a_slow_batch_is_stored_early_and_has_at_least_one_memory() {
        let batch = |looked_at| Batch { memories: Vec::new(), looked_at };
        assert!(!batch(3).is_over(COMMIT_AFTER / 2, COMMIT_AFTER));
        assert!(batch(1).is_over(COMMIT_AFTER, COMMIT_AFTER));
        assert!(!batch(0).is_over(COMMIT_AFTER * 5, COMMIT_AFTER));
    }

    #[test]
    fn the_same_action_needs_a_similar_task_and_the_same_text_does_not() {
        let (near, far) = (row(1, "wait", Some([0.8, 0.6])), row(2, "wait", Some([0.0, 1.0])));
        let same_batch = [(&near, lesson(1)), (&far, lesson(2))];
        let new = row(3, "Wait.", Some([1.0, 0.0]));
        let key = advice_of(&new).unwrap();
        assert_eq!(most_similar(key, &new, &[], &same_batch), Some(lesson(1)));
        assert_eq!(most_similar(key, &new, &[], &same_batch[1..]), None);

        let (text, other) = (row(4, "", None), row(5, "", Some([0.0, 1.0])));
        let key = advice_of(&text).unwrap();
        assert_eq!(most_similar(key, &text, &[], &[(&other, lesson(5))]), Some(lesson(5)));
    }

    #[test]
    fn a_stored_memory_with_other_advice_or_of_an_untrusted_source_is_not_joined() {
        let new = row(3, "wait", Some([1.0, 0.0]));
        let key = advice_of(&new).unwrap();
        let memory_id = MemoryId::generate();
        let stored = NearRow {
            memory_id,
            lesson_id: None,
            lesson_key: memory_id.as_uuid(),
            similarity: 0.9,
            q: 0.5,
            credit: 0.5,
            evidence: 0,
            advice: Some(key.as_uuid()),
            correct_action: "wait".to_owned(),
            by_model: false,
            untrusted: false,
            is_bounded: false,
            absorbed: 0,
            is_protected: false,
            reflection: String::new(),
        };
        let found = |stored: NearRow| most_similar(key, &new, &[stored], &[]);
        assert_eq!(found(stored.clone()), Some(LessonId::from(memory_id)));
        assert_eq!(found(NearRow { untrusted: true, ..stored.clone() }), None);
        assert_eq!(found(NearRow { advice: None, ..stored }), None);
    }
}
