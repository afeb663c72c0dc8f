//! Changing memories: an action notes what it changes, and what holds is read off the ledger of care.

use std::collections::BTreeSet;

use reflect_types::MemoryId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::{Postgres, Transaction};

use super::change::{
    Change, ChangeRow, Facets, HALVED, MemoryState, Noted, PINNED, POOLED, TEXT, what_holds,
};
use super::text::NewText;
use crate::actions::ActionId;
use crate::audit::Actor;
use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;
use crate::utility::{CareStep, PlacedStep};

/// A question is answered with pinned memories whatever they have to do with it, so there are few.
const MOST_PINS: usize = 5;

/// What an action does to some memories, given how they stand while they are held; or why it does nothing.
pub type Decide<'a> =
    dyn Fn(&[MemoryState]) -> Result<Vec<(MemoryId, Change)>, &'static str> + Send + Sync + 'a;

/// Something that is done to memories.
#[derive(Debug)]
pub struct Care<'a> {
    /// What, in the word of the audit log.
    pub kind: &'static str,
    /// The same in numbers and ids.
    pub summary: Value,
    /// To which memories.
    pub memories: &'a [MemoryId],
    /// The action that this is a further part of.
    pub part_of: Option<ActionId>,
    /// A new text for one of them.
    pub text: Option<&'a NewText>,
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cared {
    /// The action; none when nothing had to be changed.
    pub action_id: Option<ActionId>,
    /// The memories that it changed.
    pub changed: Vec<MemoryId>,
}

impl ProjectCtx {
    /// Does something to memories, all of it or nothing.
    pub async fn care(
        &self,
        care: &Care<'_>,
        actor: &Actor,
        decide: &Decide<'_>,
    ) -> Result<Cared, StoreError> {
        let mut transaction = self.write().await?;
        if let Some(action) = care.part_of
            && self.hold_action(&mut transaction, action).await?.is_undone
        {
            return Err(StoreError::Conflict { what: "the action was undone before it had come to its end" });
        }
        let states = self.hold_memories(&mut transaction, care.memories).await?;
        if states.len() < care.memories.len() {
            return Err(StoreError::NotFound { what: "memory" });
        }
        let changes = decide(&states).map_err(|what| StoreError::Conflict { what })?;
        if changes.is_empty() && care.text.is_none() {
            return Ok(Cared { action_id: care.part_of, changed: Vec::new() });
        }
        let action = match care.part_of {
            Some(action) => action,
            None => self.begin_action(&mut transaction, actor, care.kind, &care.summary).await?,
        };
        let mut noted: Vec<Noted> = Vec::with_capacity(changes.len());
        if let Some(text) = care.text {
            noted.push(self.keep_text(&mut transaction, action, text).await?);
        }
        for (memory, change) in &changes {
            let state = states.iter().find(|state| state.memory_id == *memory);
            noted.push(change.noted(state.ok_or(StoreError::NotFound { what: "memory" })?));
        }
        self.apply(&mut transaction, action, &noted).await?;
        self.commit(transaction).await?;
        let changed: BTreeSet<MemoryId> = noted.iter().map(|noted| noted.memory_id).collect();
        Ok(Cared { action_id: Some(action), changed: changed.into_iter().collect() })
    }

    /// Holds memories, in the order in which everybody does, and says how they stand.
    pub(super) async fn hold_memories(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        memories: &[MemoryId],
    ) -> Result<Vec<MemoryState>, StoreError> {
        let held = sqlx::query_as(include_str!("../../sql/care/lock.sql")).bind(self.project).bind(memories);
        Ok(held.fetch_all(&mut **transaction).await?)
    }

    /// Notes changes to memories that are held, and lets them take effect.
    pub(super) async fn apply(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        action: ActionId,
        noted: &[Noted],
    ) -> Result<(), StoreError> {
        sqlx::query(include_str!("../../sql/care/insert_changes.sql"))
            .bind(self.project)
            .bind(action)
            .bind(noted.iter().map(|noted| noted.memory_id).collect::<Vec<_>>())
            .bind(noted.iter().map(|noted| noted.facet).collect::<Vec<_>>())
            .bind(noted.iter().map(|noted| &noted.before).collect::<Vec<_>>())
            .bind(noted.iter().map(|noted| &noted.after).collect::<Vec<_>>())
            .execute(&mut **transaction)
            .await?;
        let memories: BTreeSet<MemoryId> = noted.iter().map(|noted| noted.memory_id).collect();
        let facets = noted.iter().map(|noted| noted.facet).collect();
        self.take_effect(transaction, &memories.into_iter().collect::<Vec<_>>(), &facets).await
    }

    /// Reads off the ledger what holds of some facets of memories, writes it down, and lets follow what follows.
    pub(super) async fn take_effect(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        memories: &[MemoryId],
        facets: &BTreeSet<i16>,
    ) -> Result<(), StoreError> {
        let rows: Vec<ChangeRow> = sqlx::query_as(include_str!("../../sql/care/changes.sql"))
            .bind(self.project)
            .bind(memories)
            .bind(facets.iter().copied().collect::<Vec<_>>())
            .fetch_all(&mut **transaction)
            .await?;
        let held: Vec<(MemoryId, Facets)> = what_holds(&rows).into_iter().collect();
        self.settle_facets(transaction, &held).await?;
        if facets.contains(&TEXT) {
            let texts = held.iter().filter_map(|(memory, facets)| Some((*memory, facets.version?)));
            self.switch_texts(transaction, &texts.collect::<Vec<_>>()).await?;
        }
        if facets.contains(&HALVED) || facets.contains(&POOLED) {
            self.refold(transaction, memories).await?;
        }
        self.move_vectors(transaction, memories).await?;
        if facets.contains(&PINNED) {
            self.settle_pins(transaction).await?;
        }
        Ok(())
    }

    async fn settle_facets(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        held: &[(MemoryId, Facets)],
    ) -> Result<(), StoreError> {
        let presence = |facets: &Facets| facets.presence.map(super::Presence::code);
        sqlx::query(include_str!("../../sql/care/settle.sql"))
            .bind(self.project)
            .bind(held.iter().map(|(memory, _)| *memory).collect::<Vec<_>>())
            .bind(held.iter().map(|(_, facets)| presence(facets)).collect::<Vec<_>>())
            .bind(held.iter().map(|(_, facets)| facets.presence?.merged_into()).collect::<Vec<_>>())
            .bind(held.iter().map(|(_, facets)| facets.quarantined).collect::<Vec<_>>())
            .bind(held.iter().map(|(_, facets)| facets.pinned).collect::<Vec<_>>())
            .execute(&mut **transaction)
            .await?;
        Ok(())
    }

    /// Vectors follow status. What has none and could be served is embedded soon.
    pub(super) async fn move_vectors(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        memories: &[MemoryId],
    ) -> Result<(), StoreError> {
        for moved in [include_str!("../../sql/care/park.sql"), include_str!("../../sql/care/unpark.sql")] {
            sqlx::query(moved).bind(self.project).bind(memories).execute(&mut **transaction).await?;
        }
        let unplaced: Option<bool> = sqlx::query_scalar(include_str!("../../sql/care/unplaced.sql"))
            .bind(self.project)
            .bind(memories)
            .fetch_optional(&mut **transaction)
            .await?;
        if unplaced == Some(true) {
            self.enqueue_placing(transaction, std::time::Duration::ZERO).await?;
        }
        Ok(())
    }

    /// Keeps which memories are pinned where searches look, and refuses too many of them.
    async fn settle_pins(&self, transaction: &mut Transaction<'static, Postgres>) -> Result<(), StoreError> {
        let before: Option<Vec<MemoryId>> = sqlx::query_scalar(include_str!("../../sql/care/hold_pins.sql"))
            .bind(self.project)
            .fetch_optional(&mut **transaction)
            .await?;
        // A statement of its own: what others pinned while this one waited has to be seen.
        let after: Option<Vec<MemoryId>> = sqlx::query_scalar(include_str!("../../sql/care/keep_pins.sql"))
            .bind(self.project)
            .fetch_optional(&mut **transaction)
            .await?;
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        if after.len() > MOST_PINS && after.len() > before.len() {
            return Err(StoreError::TooManyPins { pinned: before });
        }
        Ok(())
    }

    /// What care did to where memories stand.
    pub(crate) async fn care_steps(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        memories: &[MemoryId],
    ) -> Result<Vec<PlacedStep>, StoreError> {
        let rows: Vec<(MemoryId, i64, i16, Value, i64, i32)> =
            sqlx::query_as(include_str!("../../sql/care/steps.sql"))
                .bind(self.project)
                .bind(memories)
                .fetch_all(&mut **transaction)
                .await?;
        let placed = rows.into_iter().map(|(memory_id, seq, facet, after, entered, credited)| {
            let step = match facet {
                HALVED => CareStep::Halved,
                _ => CareStep::Pooled(
                    serde_json::from_value(after).map_err(|_| StoreError::Corrupt { what: "merge" })?,
                ),
            };
            Ok(PlacedStep { memory_id, seq, entered, credited, step })
        });
        placed.collect()
    }
}
