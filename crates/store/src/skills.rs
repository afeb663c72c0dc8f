//! Skills: one guide per project, every version of it kept.

use chrono::{DateTime, Utc};
use reflect_types::MemoryId;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::idempotency::Claim;
use crate::project_ctx::ProjectCtx;

/// A guide to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSkill {
    /// The guide itself, Markdown with frontmatter.
    pub content: String,
    /// How many lessons of passed runs went into it.
    pub passed: i32,
    /// How many lessons of failed runs went into it.
    pub failed: i32,
    /// Those lessons.
    pub memory_ids: Vec<MemoryId>,
    /// Who wrote it; none when no model did.
    pub model: Option<String>,
}

/// A kept guide.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow, Serialize, Deserialize)]
pub struct SkillRow {
    /// Counts up from 1.
    pub version: i32,
    /// The guide itself.
    pub content: String,
    /// How many lessons of passed runs went into it.
    pub passed: i32,
    /// How many lessons of failed runs went into it.
    pub failed: i32,
    /// Those lessons.
    pub memory_ids: Vec<MemoryId>,
    /// Who wrote it; none when no model did.
    pub model: Option<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

impl ProjectCtx {
    /// Keeps a new version of the project's skill.
    pub async fn keep_skill(&self, skill: &NewSkill, claim: Option<&Claim>) -> Result<SkillRow, StoreError> {
        let mut transaction = self.write().await?;
        if let Some(earlier) = self.claim(&mut transaction, claim, None).await? {
            return Ok(earlier);
        }
        let locked = sqlx::query(include_str!("../sql/projects/lock.sql")).bind(self.project);
        locked.execute(&mut *transaction).await?;
        let there = sqlx::query_scalar(include_str!("../sql/skills/still_there.sql"));
        if !there.bind(self.project).bind(&skill.memory_ids).fetch_one(&mut *transaction).await? {
            return Err(StoreError::Conflict {
                what: "a memory that the skill was written from is gone by now",
            });
        }
        let row: SkillRow = sqlx::query_as(include_str!("../sql/skills/insert.sql"))
            .bind(self.project)
            .bind(&skill.content)
            .bind(skill.passed)
            .bind(skill.failed)
            .bind(&skill.memory_ids)
            .bind(&skill.model)
            .fetch_one(&mut *transaction)
            .await?;
        self.remember(&mut transaction, claim, &row).await?;
        self.commit(transaction).await?;
        Ok(row)
    }

    /// The project's skill as it stands.
    pub async fn skill(&self) -> Result<SkillRow, StoreError> {
        let mut transaction = self.read().await?;
        let row = sqlx::query_as(include_str!("../sql/skills/latest.sql")).bind(self.project);
        let row: Option<SkillRow> = row.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        row.ok_or(StoreError::NotFound { what: "skill" })
    }
}
