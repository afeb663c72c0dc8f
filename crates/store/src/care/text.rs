//! The texts of a memory: a new one is kept beside the others, and one of them is the one it has.

use reflect_types::MemoryId;
use serde_json::{Value, json};
use sqlx::{Postgres, Transaction};

use super::change::{Noted, TEXT};
use crate::actions::ActionId;
use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;
use crate::spaces::SpaceId;

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
    /// The version that whoever wrote it had before them.
    pub instead_of: i32,
    /// The text.
    pub fields: TextFields,
    /// Where it stands in each space, when its task or its lesson is another one.
    pub vectors: Vec<(SpaceId, Vec<f32>)>,
}

impl ProjectCtx {
    /// Keeps a new text of a memory that is held. It is not the memory's own yet.
    pub(super) async fn keep_text(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        action: ActionId,
        text: &NewText,
    ) -> Result<Noted, StoreError> {
        let memory = text.memory_id;
        if self.version_now(transaction, memory).await? != Some(text.instead_of) {
            return Err(StoreError::Conflict { what: "the memory has been edited since it was read" });
        }
        let original = sqlx::query(include_str!("../../sql/care/keep_original.sql"));
        original.bind(self.project).bind(memory).execute(&mut **transaction).await?;
        let fields = &text.fields;
        let version: i32 = sqlx::query_scalar(include_str!("../../sql/care/insert_version.sql"))
            .bind(self.project)
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
            sqlx::query(include_str!("../../sql/care/insert_version_vector.sql"))
                .bind(self.project)
                .bind(memory)
                .bind(version)
                .bind(space)
                .bind(vector)
                .execute(&mut **transaction)
                .await?;
        }
        Ok(Noted { memory_id: memory, facet: TEXT, before: json!(text.instead_of), after: json!(version) })
    }

    /// Gives memories the texts that hold now. Where they stood stays with the text they had.
    pub(super) async fn switch_texts(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        texts: &[(MemoryId, i32)],
    ) -> Result<(), StoreError> {
        for (memory, version) in texts {
            if self.version_now(transaction, *memory).await? == Some(*version) {
                continue;
            }
            let kept = sqlx::query(include_str!("../../sql/care/keep_vectors.sql"));
            kept.bind(self.project).bind(memory).execute(&mut **transaction).await?;
            // Nothing to switch to when the texts were erased.
            let switched = sqlx::query_as(include_str!("../../sql/care/switch_text.sql"));
            let others: Option<(bool, bool)> = switched
                .bind(self.project)
                .bind(memory)
                .bind(version)
                .fetch_optional(&mut **transaction)
                .await?;
            if let Some((other_task, other_lesson)) = others.filter(|(task, lesson)| *task || *lesson) {
                let dropped = sqlx::query(include_str!("../../sql/care/drop_vectors.sql"));
                let dropped = dropped.bind(self.project).bind(memory).bind(other_task).bind(other_lesson);
                dropped.execute(&mut **transaction).await?;
            }
            // Also for the same task: it may have stood in more spaces then.
            let restored = sqlx::query(include_str!("../../sql/care/restore_vectors.sql"));
            restored.bind(self.project).bind(memory).bind(version).execute(&mut **transaction).await?;
        }
        Ok(())
    }

    async fn version_now(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        memory: MemoryId,
    ) -> Result<Option<i32>, StoreError> {
        let version = sqlx::query_scalar(include_str!("../../sql/care/version_now.sql"));
        Ok(version.bind(self.project).bind(memory).fetch_optional(&mut **transaction).await?)
    }
}
