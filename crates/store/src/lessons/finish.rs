//! Stores the situations of a run and completes the run, in the transaction of the caller.

use reflect_types::{LessonId, MemoryId, ProjectId, ReviewId, TraceId};
use serde_json::{Value, json};
use sqlx::postgres::PgArguments;
use sqlx::{Postgres, Row};

use super::contradict::contradict;
use super::corroborate::corroborate;
use super::creation_events::creation_events;
use super::locked::{LockedPlans, Placed, lock_plans, situations};
use super::{LessonPlan, NewMemoryRow};
use crate::actions;
#[cfg(debug_assertions)]
use crate::connect::StoreFault;
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::ids::SpaceId;
use crate::jobs;
use crate::ledger::{self, RunUse};
use crate::memory_changes::{Noted, Presence, count_absorbed, insert_changes};

/// The kind of the action by which situations join lessons.
pub const LESSON_JOIN: &str = "lesson.join";

/// Stores a lesson that is not sent with its review. `None` if the review was changed or another worker finished first.
pub(crate) async fn finish_alone(
    transaction: &mut ProjectTx,
    trace: TraceId,
    review: ReviewId,
    memory: &NewMemoryRow,
) -> Result<Option<MemoryId>, StoreError> {
    let state = sqlx::query(include_str!("../../sql/learning/lock_state.sql"));
    let state = state.bind(transaction.project).bind(trace).bind(review);
    if state.fetch_optional(&mut **transaction).await?.is_none() {
        return Ok(None);
    }
    let mut plans = lock_plans(transaction, &[memory], Some(review), &[]).await?;
    finish(transaction, trace, review, memory, &mut plans).await
}

/// Stores a lesson and the further situations of its run. Returns what the run created: its situation, or the one that
/// absorbed it.
pub(crate) async fn finish(
    transaction: &mut ProjectTx,
    trace: TraceId,
    review: ReviewId,
    memory: &NewMemoryRow,
    plans: &mut LockedPlans,
) -> Result<Option<MemoryId>, StoreError> {
    plans.place(memory);
    let placed = plans.of(memory.memory_id);
    let first =
        described(include_str!("../../sql/learning/finish.sql"), transaction.project, trace, memory, placed)
            .bind(review)
            .bind(&memory.replaced)
            .fetch_optional(&mut **transaction)
            .await?;
    let Some(first) = first else { return Ok(None) };
    let (write_spaces, has_unserved): (Vec<SpaceId>, bool) = (first.try_get(0)?, first.try_get(1)?);
    let types: i32 = first.try_get(2)?;
    for step in &memory.lesson.steps {
        let statement = include_str!("../../sql/learning/add_step.sql");
        let added = described(statement, transaction.project, trace, step, plans.of(step.memory_id));
        added.execute(&mut **transaction).await?;
    }
    for situation in situations(memory) {
        let placed = plans.of(situation.memory_id);
        let is_parked = situation.quarantined || placed.absorbed_into.is_some();
        insert_vectors(transaction, situation, is_parked, &write_spaces).await?;
        // What another memory absorbs is no new memory for people.
        if placed.absorbed_into.is_none() {
            transaction.outgoing.add(types, creation_events(situation, Some(trace), placed.lesson));
        }
    }
    record_joins(transaction, Some(trace), memory, plans).await?;
    // Memories in quarantine are among those that are not served.
    for situation in situations(memory).filter(|situation| situation.quarantined || has_unserved) {
        corroborate(transaction, situation).await?;
    }
    if let Some(expected) = memory.expected {
        ledger::settle_credit(transaction, review, expected, run_use(memory)).await?;
    }
    let superseded = contradict(transaction, trace, review, memory, plans).await?;
    plans.supersede(&superseded);
    Ok(Some(placed.absorbed_into.unwrap_or(memory.memory_id)))
}

/// What is known about which memories a run used.
fn run_use(memory: &NewMemoryRow) -> RunUse<'_> {
    let LessonPlan { used_by: by, compared, .. } = &memory.lesson;
    RunUse { used: memory.used.as_deref(), compared: compared.as_deref(), by: *by }
}

/// A statement with the columns of a situation as its first parameters.
fn described<'q>(
    statement: &'static str,
    project: ProjectId,
    trace: TraceId,
    memory: &'q NewMemoryRow,
    placed: Placed,
) -> sqlx::query::Query<'q, Postgres, PgArguments> {
    sqlx::query(statement)
        .bind(project)
        .bind(trace)
        .bind(memory.memory_id)
        .bind(memory.author_key)
        .bind(memory.origin.code())
        .bind(&memory.task)
        .bind(&memory.reflection)
        .bind(&memory.summary)
        .bind(&memory.guidance)
        .bind(&memory.key_mistake)
        .bind(&memory.correct_action)
        .bind(&memory.applicable_tools)
        .bind(&memory.tools_used)
        .bind(memory.success)
        .bind(&memory.metadata)
        .bind(&memory.model)
        .bind(memory.prompt_version)
        .bind(&memory.note)
        .bind(memory.quarantined)
        .bind(memory.trust.code())
        .bind(&memory.flags)
        .bind(placed.lesson)
        .bind(memory.lesson.advice.map(|advice| advice.as_uuid()))
        .bind(placed.absorbed_into)
        .bind(memory.lesson.step)
}

/// Stores the vectors of a situation. Queues a refill if one is missing.
async fn insert_vectors(
    transaction: &mut ProjectTx,
    memory: &NewMemoryRow,
    is_parked: bool,
    write_spaces: &[SpaceId],
) -> Result<(), StoreError> {
    let insert = match is_parked {
        true => include_str!("../../sql/memories/insert_parked_vector.sql"),
        false => include_str!("../../sql/memories/insert_vector.sql"),
    };
    for (space, vector) in &memory.vectors {
        sqlx::query(insert)
            .bind(transaction.project)
            .bind(space)
            .bind(memory.memory_id)
            .bind(vector)
            .execute(&mut **transaction)
            .await?;
    }
    // The embedder failed, or the space was added after the vectors were computed.
    if write_spaces.iter().any(|wanted| !memory.vectors.iter().any(|(space, _)| space == wanted)) {
        jobs::enqueue_refill(transaction).await?;
    }
    Ok(())
}

/// Records which lessons the situations of a run joined, as one action of the server. The columns of new situations are as
/// decided already.
pub(crate) async fn record_joins(
    transaction: &mut ProjectTx,
    trace: Option<TraceId>,
    memory: &NewMemoryRow,
    plans: &LockedPlans,
) -> Result<(), StoreError> {
    let joined: Vec<(MemoryId, LessonId, Placed)> = situations(memory)
        .filter_map(|situation| {
            let placed = plans.of(situation.memory_id);
            placed.by?;
            Some((situation.memory_id, placed.lesson?, placed))
        })
        .collect();
    if joined.is_empty() {
        return Ok(());
    }
    let founders: Vec<MemoryId> = joined.iter().filter_map(|(.., placed)| placed.founder).collect();
    let mut noted: Vec<Noted> =
        founders.iter().map(|founder| Noted::lesson(*founder, None, Some((*founder).into()))).collect();
    for (memory, lesson, placed) in &joined {
        noted.push(Noted::lesson(*memory, Some((*memory).into()), Some(*lesson)));
        if let Some(into) = placed.absorbed_into {
            noted.push(Noted::presence(*memory, Presence::Kept, Presence::Absorbed(into)));
        }
    }
    insert_joins(transaction, &summary(trace, &joined), &noted).await?;
    set_founders(transaction, &founders).await?;
    let absorbers: Vec<MemoryId> = joined.iter().filter_map(|(.., placed)| placed.absorbed_into).collect();
    #[cfg(debug_assertions)]
    if transaction.has_fault(StoreFault::GroupingPoolsCredit) {
        let lessons: Vec<LessonId> = joined.iter().map(|(_, lesson, _)| *lesson).collect();
        let pool = sqlx::query(crate::faults::POOL_CREDIT).bind(transaction.project).bind(lessons);
        pool.execute(&mut **transaction).await?;
    }
    #[cfg(debug_assertions)]
    if transaction.has_fault(StoreFault::AbsorbedNotCounted) {
        return Ok(());
    }
    count_absorbed(transaction, &[], &absorbers).await
}

async fn insert_joins(
    transaction: &mut ProjectTx,
    summary: &Value,
    noted: &[Noted],
) -> Result<(), StoreError> {
    #[cfg(debug_assertions)]
    if transaction.has_fault(StoreFault::LessonWithoutChange) {
        return Ok(());
    }
    let action = actions::begin_automatic(transaction, LESSON_JOIN, summary).await?;
    insert_changes(transaction, action, noted).await?;
    Ok(())
}

fn summary(trace: Option<TraceId>, joined: &[(MemoryId, LessonId, Placed)]) -> Value {
    let first = joined.first();
    let mut summary = json!({
        "trace_id": trace,
        "memory_ids": joined.iter().map(|(memory, ..)| *memory).collect::<Vec<_>>(),
        "lesson_id": first.map(|(_, lesson, _)| *lesson),
        "by": first.and_then(|(.., placed)| placed.by),
    });
    if let Some(into) = first.and_then(|(.., placed)| placed.absorbed_into) {
        summary["absorbed_into"] = json!(into);
    }
    summary
}

/// Writes the lesson of situations that were not grouped and are joined now.
async fn set_founders(transaction: &mut ProjectTx, founders: &[MemoryId]) -> Result<(), StoreError> {
    if founders.is_empty() {
        return Ok(());
    }
    sqlx::query(include_str!("../../sql/lessons/set_lessons.sql"))
        .bind(transaction.project)
        .bind(founders)
        .bind(founders)
        .bind(vec![None::<uuid::Uuid>; founders.len()])
        .execute(&mut **transaction)
        .await?;
    Ok(())
}
