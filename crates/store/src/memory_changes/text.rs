//! The texts of a memory: all versions are stored, and one of them is current.

use reflect_rules::lessons::{AdviceKey, AdviceText, advice_key};
use reflect_types::MemoryId;
use serde_json::{Value, json};
use uuid::Uuid;

use super::change::{Noted, TEXT};
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::ids::ActionId;
use crate::ids::SpaceId;

/// What can be edited of a memory.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct TextFields {
    /// The task it is about.
    pub task: String,
    /// The whole lesson in one text.
    pub reflection: String,
    /// The lesson in one line.
    pub summary: String,
    /// What to do next time.
    pub guidance: String,
    /// What went wrong.
    pub key_mistake: String,
    /// What should have been done.
    pub correct_action: String,
    /// The tools or areas it is about.
    pub applicable_tools: Vec<String>,
    /// What it can be filtered by.
    pub metadata: Value,
}

/// A new text for a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct NewText {
    /// The memory.
    pub memory_id: MemoryId,
    /// The version that the author edited.
    pub instead_of: i32,
    /// The text.
    pub fields: TextFields,
    /// Its vector in each space, if task or lesson changed.
    pub vectors: Vec<(SpaceId, Vec<f32>)>,
}

/// Stores a new text of a locked memory. It is not current yet.
pub(crate) async fn insert_text(
    transaction: &mut ProjectTx,
    action: ActionId,
    text: &NewText,
) -> Result<Noted, StoreError> {
    let memory = text.memory_id;
    if current_version(transaction, memory).await? != Some(text.instead_of) {
        return Err(StoreError::Conflict { what: "the memory has been edited since it was read" });
    }
    let original = sqlx::query(include_str!("../../sql/curation/keep_original.sql"));
    original.bind(transaction.project).bind(memory).execute(&mut **transaction).await?;
    let vouchers = sqlx::query(include_str!("../../sql/trust/forget_vouchers.sql"));
    vouchers.bind(transaction.project).bind(memory).execute(&mut **transaction).await?;
    let fields = &text.fields;
    let version: i32 = sqlx::query_scalar(include_str!("../../sql/curation/insert_version.sql"))
        .bind(transaction.project)
        .bind(memory)
        .bind(action)
        .bind(&fields.task)
        .bind(&fields.reflection)
        .bind(&fields.summary)
        .bind(&fields.guidance)
        .bind(&fields.key_mistake)
        .bind(&fields.correct_action)
        .bind(&fields.applicable_tools)
        .bind(&fields.metadata)
        .fetch_one(&mut **transaction)
        .await?;
    for (space, vector) in &text.vectors {
        sqlx::query(include_str!("../../sql/curation/insert_version_vector.sql"))
            .bind(transaction.project)
            .bind(memory)
            .bind(version)
            .bind(space)
            .bind(vector)
            .execute(&mut **transaction)
            .await?;
    }
    Ok(Noted { memory_id: memory, facet: TEXT, before: json!(text.instead_of), after: json!(version) })
}

/// Switches memories to their current texts. The earlier vectors stay with the earlier text.
pub(crate) async fn switch_texts(
    transaction: &mut ProjectTx,
    texts: &[(MemoryId, i32)],
) -> Result<(), StoreError> {
    for (memory, version) in texts {
        if current_version(transaction, *memory).await? == Some(*version) {
            continue;
        }
        let kept = sqlx::query(include_str!("../../sql/curation/keep_vectors.sql"));
        kept.bind(transaction.project).bind(memory).execute(&mut **transaction).await?;
        // No row if the texts were erased.
        let switched = sqlx::query_as(include_str!("../../sql/curation/switch_text.sql"));
        let switched: Option<Switched> = switched
            .bind(transaction.project)
            .bind(memory)
            .bind(version)
            .fetch_optional(&mut **transaction)
            .await?;
        if let Some(switched) = switched {
            follow_text(transaction, *memory, &switched).await?;
        }
        // Also for the same task, because it may have had vectors in more spaces.
        let restored = sqlx::query(include_str!("../../sql/curation/restore_vectors.sql"));
        restored.bind(transaction.project).bind(memory).bind(version).execute(&mut **transaction).await?;
    }
    Ok(())
}

/// A memory after a switch to another text.
#[derive(sqlx::FromRow)]
struct Switched {
    other_task: bool,
    other_lesson: bool,
    other_action: bool,
    correct_action: String,
    reflection: String,
    /// What the text advises, if the memory had it before.
    advice: Option<Uuid>,
}

/// Drops the vectors of a changed text, and sets what the new one advises. Which tools an earlier text described is not part
/// of it, so the key of an earlier text is restored.
async fn follow_text(
    transaction: &mut ProjectTx,
    memory: MemoryId,
    switched: &Switched,
) -> Result<(), StoreError> {
    let Switched { other_task, other_lesson, other_action, correct_action, reflection, advice } = switched;
    if *other_task || *other_lesson {
        let dropped = sqlx::query(include_str!("../../sql/curation/drop_vectors.sql"));
        let dropped = dropped.bind(transaction.project).bind(memory).bind(other_task).bind(other_lesson);
        dropped.execute(&mut **transaction).await?;
    }
    let is_same = !other_lesson && !other_action;
    if advice.is_none() && is_same {
        return Ok(());
    }
    let computed = || advice_key(&AdviceText { correct_action, approach: &[], reflection });
    let advice = advice.or_else(|| computed().map(AdviceKey::as_uuid));
    let set = sqlx::query(include_str!("../../sql/lessons/set_advice.sql")).bind(transaction.project);
    set.bind(memory).bind(advice).execute(&mut **transaction).await?;
    Ok(())
}

async fn current_version(transaction: &mut ProjectTx, memory: MemoryId) -> Result<Option<i32>, StoreError> {
    let version = sqlx::query_scalar(include_str!("../../sql/curation/current_version.sql"));
    Ok(version.bind(transaction.project).bind(memory).fetch_optional(&mut **transaction).await?)
}
