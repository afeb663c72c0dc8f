//! What the situations of a run supersede, and the question that remains. Credits are read after the run moved them.

use reflect_rules::lessons::{Contradicting, contradictions};
use reflect_types::{LessonId, MemoryId, MemoryStatus, ReviewId, TraceId, Trust};
use serde_json::json;
use uuid::Uuid;

use super::NewMemoryRow;
use super::locked::{LockedPlans, situations};
use crate::actions;
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::memory_changes::{MemoryChange, MemoryState, Noted, Presence, apply_changes, lock_memories};

/// A new situation and a stored one with other advice.
struct Question {
    new: (LessonId, MemoryId),
    stored: (LessonId, MemoryId),
    similarity: f32,
}

/// Supersedes situations that the run contradicts, as one action of the server, and stores undecided pairs as questions.
/// Returns what was superseded.
pub(super) async fn contradict(
    transaction: &mut ProjectTx,
    trace: TraceId,
    review: ReviewId,
    memory: &NewMemoryRow,
    plans: &LockedPlans,
) -> Result<Vec<MemoryId>, StoreError> {
    let wanted: Vec<MemoryId> = situations(memory)
        .flat_map(|situation| &situation.lesson.contradicting)
        .map(|one| one.memory_id)
        .collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    // Locked already: this reads their states after the credits moved.
    let states = lock_memories(transaction, &wanted).await?;
    let mut superseded: Vec<&MemoryState> = Vec::new();
    for situation in situations(memory) {
        let lesson = plans.of(situation.memory_id).lesson.unwrap_or(situation.memory_id.into());
        let (lost, question) = decide(situation, lesson, &states);
        for state in lost {
            if !superseded.iter().any(|one| one.memory_id == state.memory_id) {
                superseded.push(state);
            }
        }
        if let Some(question) = question {
            ask(transaction, &question).await?;
        }
    }
    supersede(transaction, trace, review, &superseded).await
}

/// The situations that a new one supersedes, and the pair that is not decided. Situations of its own lesson do not
/// contradict it.
fn decide<'a>(
    new: &NewMemoryRow,
    lesson: LessonId,
    states: &'a [MemoryState],
) -> (Vec<&'a MemoryState>, Option<Question>) {
    let plan = &new.lesson;
    let is_other = |state: &&MemoryState| state.status == MemoryStatus::Active && own_lesson(state) != lesson;
    let state = |memory: MemoryId| states.iter().filter(is_other).find(|state| state.memory_id == memory);
    let found: Vec<Contradicting> = plan
        .contradicting
        .iter()
        .filter_map(|one| {
            let state = state(one.memory_id)?;
            Some(Contradicting {
                memory_id: one.memory_id,
                similarity: one.similarity,
                credit: state.credit,
                is_protected: one.is_protected || state.pinned,
            })
        })
        .collect();
    let is_unsure = new.trust == Trust::Untrusted || new.quarantined;
    let decided = contradictions(plan.settings, new.success == Some(true), plan.has_words, is_unsure, &found);
    let question = decided.undecided.and_then(|memory| {
        let similarity = found.iter().find(|one| one.memory_id == memory)?.similarity;
        let stored = (own_lesson(state(memory)?), memory);
        Some(Question { new: (lesson, new.memory_id), stored, similarity })
    });
    (decided.superseded.into_iter().filter_map(state).collect(), question)
}

fn own_lesson(state: &MemoryState) -> LessonId {
    state.lesson_id.unwrap_or(state.memory_id.into())
}

async fn supersede(
    transaction: &mut ProjectTx,
    trace: TraceId,
    review: ReviewId,
    superseded: &[&MemoryState],
) -> Result<Vec<MemoryId>, StoreError> {
    let memories: Vec<MemoryId> = superseded.iter().map(|state| state.memory_id).collect();
    if memories.is_empty() {
        return Ok(memories);
    }
    let summary = json!({ "trace_id": trace, "review_id": review, "memory_ids": memories });
    let action = actions::begin_automatic(transaction, "lesson.supersede", &summary).await?;
    let change = MemoryChange::Presence(Presence::Superseded(review));
    let noted: Vec<Noted> = superseded.iter().map(|state| change.noted(state)).collect();
    apply_changes(transaction, action, &noted).await?;
    metrics::counter!("reflect_situations_superseded_total").increment(memories.len() as u64);
    Ok(memories)
}

/// Stores a question, once for two lessons. One that became invisible is shown again. The older lesson is the first.
async fn ask(transaction: &mut ProjectTx, question: &Question) -> Result<(), StoreError> {
    let (first, second) = match question.new.0 < question.stored.0 {
        true => (question.new, question.stored),
        false => (question.stored, question.new),
    };
    let asked = sqlx::query(include_str!("../../sql/lessons/ask.sql"))
        .bind(transaction.project)
        .bind(Uuid::now_v7())
        .bind(first.0)
        .bind(second.0)
        .bind(first.1)
        .bind(second.1)
        .bind(question.similarity)
        .execute(&mut **transaction)
        .await?;
    let mut asked = asked.rows_affected();
    if asked == 0 {
        // Two statements: an insert that updates on a conflict would lock the question also if it is shown.
        let again = sqlx::query(include_str!("../../sql/lessons/ask_again.sql"))
            .bind(transaction.project)
            .bind(first.0)
            .bind(second.0)
            .bind(first.1)
            .bind(second.1)
            .bind(question.similarity)
            .execute(&mut **transaction)
            .await?;
        asked = again.rows_affected();
    }
    metrics::counter!("reflect_lesson_questions_total").increment(asked);
    Ok(())
}
