//! Skills: one guide per project; every version is stored.

use chrono::{DateTime, Utc};
use reflect_types::{MemoryId, ReviewResult};
use serde::{Deserialize, Serialize};

use crate::db::ProjectDb;
use crate::error::StoreError;
use crate::idempotency::{self, Claim};

/// The lesson of one memory, as input of a guide.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct MemoryLesson {
    /// The memory.
    pub memory_id: MemoryId,
    /// The memory whose words these are.
    pub speaker: MemoryId,
    /// The task it was learned from.
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
}

/// A guide to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSkill {
    /// The guide itself, Markdown with frontmatter.
    pub content: String,
    /// How many lessons of passed runs went into it.
    pub passed: i32,
    /// How many lessons of failed runs went into it.
    pub failed: i32,
    /// The memories of those lessons, each once, and those whose words they have.
    pub memory_ids: Vec<MemoryId>,
    /// The model that wrote it. `None` if no model did.
    pub model: Option<String>,
}

/// A stored guide.
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
    /// The memories of those lessons, each once, and those whose words they have.
    pub memory_ids: Vec<MemoryId>,
    /// The model that wrote it. `None` if no model did.
    pub model: Option<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// The versions of the project's skill.
#[derive(Debug, Clone, Copy)]
pub struct SkillStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

impl SkillStore<'_> {
    /// The most useful lessons of passed or of failed runs, best first.
    pub async fn best_lessons(&self, of: ReviewResult, most: i64) -> Result<Vec<MemoryLesson>, StoreError> {
        let mut transaction = self.db.read().await?;
        let lessons = sqlx::query_as(include_str!("../sql/skills/best_lessons.sql"))
            .bind(self.db.project)
            .bind(of == ReviewResult::Pass)
            .bind(most)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(lessons)
    }

    /// Stores a new version of the project's skill.
    pub async fn create(&self, skill: &NewSkill, claim: Option<&Claim>) -> Result<SkillRow, StoreError> {
        let mut transaction = self.db.write().await?;
        if let Some(earlier) = idempotency::claim(&mut transaction, claim, None).await? {
            return transaction.repeat(earlier).await;
        }
        let locked = sqlx::query(include_str!("../sql/projects/lock.sql")).bind(self.db.project);
        locked.execute(&mut *transaction).await?;
        let there = sqlx::query_scalar(include_str!("../sql/skills/still_there.sql"));
        if !there.bind(self.db.project).bind(&skill.memory_ids).fetch_one(&mut *transaction).await? {
            return Err(StoreError::Conflict {
                what: "a memory of the skill was erased in the meantime; create the skill again",
            });
        }
        let row: SkillRow = sqlx::query_as(include_str!("../sql/skills/insert.sql"))
            .bind(self.db.project)
            .bind(&skill.content)
            .bind(skill.passed)
            .bind(skill.failed)
            .bind(&skill.memory_ids)
            .bind(&skill.model)
            .fetch_one(&mut *transaction)
            .await?;
        idempotency::save_answer(&mut transaction, claim, &row).await?;
        transaction.commit().await?;
        Ok(row)
    }

    /// The latest version of the project's skill.
    pub async fn latest(&self) -> Result<SkillRow, StoreError> {
        let mut transaction = self.db.read().await?;
        let row = sqlx::query_as(include_str!("../sql/skills/latest.sql")).bind(self.db.project);
        let row: Option<SkillRow> = row.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        row.ok_or(StoreError::NotFound { what: "skill" })
    }
}
