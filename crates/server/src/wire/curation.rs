//! Curation of memories.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use reflect_api::{
    Action, BulkAnswer, BulkCurationAction, CurateMemories, CurationAnswer, EditMemory, HistoryCuration,
    HistoryReview, HistoryStep, ImportedFrom, ListMemories, MemoryDetail, MemoryHistory, MemoryNeighbour,
    MemoryProvenance, MemoryUse, MemoryVersion, MergeMemories, StoredMemory, WriteMemory,
};
use reflect_engine::{
    BulkCuration, BulkCurationOutcome, CurationAction, ImportSource, LessonEdit, ManualLesson, MemoryMerge,
    MemoryPage, Valued,
};
use reflect_store::{ActionRow, Curated, FullMemoryRow, MemoryDetailRow, MemoryTimeline, NearMemory, UseRow};
use reflect_types::{MemoryId, ReviewResult};
use serde_json::Value;
use uuid::Uuid;

use super::lessons::authored;
use crate::error::ApiError;
use crate::filter::with_memory_filter;

/// An invalid id is treated as an unknown one.
pub(crate) fn memory_id(text: &str) -> Result<MemoryId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found("memory"))
}

pub(crate) fn manual_lesson(request: WriteMemory) -> ManualLesson {
    ManualLesson {
        task: request.task,
        lesson: authored(request.lesson),
        success: request.success,
        metadata: request.metadata.unwrap_or_default(),
        imported: request.imported.map(|from| ImportSource {
            key: from.key,
            importer: from.importer,
            file: from.file,
            line: from.line,
            item: from.item,
        }),
    }
}

/// The stored source of an import with its key. None after the memory was erased.
fn imported_from(key: Option<Uuid>, source: Option<Value>) -> Option<ImportedFrom> {
    let (key, mut source) = (key?, source?);
    source.as_object_mut()?.insert("key".to_owned(), Value::String(key.to_string()));
    serde_json::from_value(source).ok()
}

pub(crate) fn lesson_edit(request: EditMemory) -> LessonEdit {
    LessonEdit {
        task: request.task,
        summary: request.summary,
        guidance: request.guidance,
        key_mistake: request.key_mistake,
        correct_action: request.correct_action,
        applicable_tools: request.applicable_tools,
        metadata: request.metadata,
        version: request.version,
    }
}

pub(crate) fn merge(request: MergeMemories) -> Result<MemoryMerge, ApiError> {
    Ok(MemoryMerge {
        survivor: memory_id(&request.survivor_id)?,
        others: request.memory_ids.iter().map(|id| memory_id(id)).collect::<Result<_, _>>()?,
        text: request.text.map(lesson_edit),
    })
}

const fn curation_action(action: BulkCurationAction) -> CurationAction {
    match action {
        BulkCurationAction::Disable => CurationAction::Disable,
        BulkCurationAction::Enable => CurationAction::Enable,
        BulkCurationAction::Quarantine => CurationAction::Quarantine,
        BulkCurationAction::Release => CurationAction::Release,
        BulkCurationAction::Unpin => CurationAction::Unpin,
        BulkCurationAction::Delete => CurationAction::Delete,
    }
}

pub(crate) fn bulk(request: CurateMemories, now: DateTime<Utc>) -> Result<BulkCuration, ApiError> {
    let selection = selection(with_memory_filter(request.filter, request.q.as_deref(), now)?)?;
    Ok(BulkCuration {
        selection,
        action: curation_action(request.action),
        dry_run: request.dry_run,
        all: request.all,
    })
}

/// The selection of a filter.
pub(super) fn selection(
    filter: reflect_api::MemorySelection,
) -> Result<reflect_store::MemorySelector, ApiError> {
    let ids = filter.ids.map(|ids| ids.iter().map(|id| memory_id(id)).collect::<Result<_, _>>());
    Ok(reflect_store::MemorySelector {
        ids: ids.transpose()?,
        status: filter.status,
        origin: filter.origin,
        pinned: filter.pinned,
        utility_below: filter.utility_below,
        utility_above: filter.utility_above,
        credit_below: filter.credit_below,
        credit_above: filter.credit_above,
        evidence_at_least: filter.evidence_at_least,
        author_key: filter.author_key_id,
        source_trace: filter.source_trace_id,
        created_after: filter.created_after,
        created_before: filter.created_before,
        text: filter.text.map(|text| text.replace('\0', "")).filter(|text| !text.is_empty()),
        same_lesson_as: filter.same_lesson_as,
        lesson: filter.lesson_id,
        superseded: filter.superseded,
    })
}

/// The page of a list request.
pub(crate) fn memory_page(
    query: ListMemories,
    after: Option<MemoryId>,
    limit: u32,
    now: DateTime<Utc>,
) -> Result<MemoryPage, ApiError> {
    let (sort, all) = (query.sort.unwrap_or_default(), query.include_same_lesson.unwrap_or(false));
    let outside = reflect_api::MemorySelection {
        ids: None,
        status: words(query.status.as_deref())?,
        origin: words(query.origin.as_deref())?,
        pinned: query.pinned,
        utility_below: query.utility_below,
        utility_above: query.utility_above,
        credit_below: query.credit_below,
        credit_above: query.credit_above,
        evidence_at_least: query.evidence_at_least,
        author_key_id: query.author_key_id,
        source_trace_id: query.source_trace_id,
        created_after: query.created_after,
        created_before: query.created_before,
        text: query.text,
        same_lesson_as: query.same_lesson_as,
        lesson_id: query.lesson_id,
        superseded: query.superseded,
    };
    let selection = selection(with_memory_filter(outside, query.q.as_deref(), now)?)?;
    Ok(MemoryPage { selection, sort, include_same_lesson: all, after, limit })
}

/// Values that are separated by commas.
fn words<T: FromStr>(words: Option<&str>) -> Result<Option<Vec<T>>, ApiError>
where
    T::Err: ToString,
{
    let words = words.filter(|words| !words.is_empty());
    let read = words.map(|words| words.split(',').map(str::parse).collect::<Result<Vec<T>, _>>());
    read.transpose().map_err(|error| ApiError::invalid(error.to_string()))
}

pub(crate) fn stored_memory(memory: Valued<FullMemoryRow>) -> StoredMemory {
    let Valued { memory: row, utility } = memory;
    let (low, high) = row.credit.interval();
    StoredMemory {
        id: row.memory_id,
        status: row.status,
        quarantined: row.quarantined,
        flags: row.flags,
        pinned: row.pinned,
        merged_into: row.merged_into,
        lesson_id: Some(row.lesson_id),
        superseded_by: row.superseded_by,
        absorbed: row.absorbed,
        task: row.text.task,
        reflection: row.text.reflection,
        summary: row.text.summary,
        guidance: row.text.guidance,
        key_mistake: row.text.key_mistake,
        correct_action: row.text.correct_action,
        applicable_tools: row.text.applicable_tools,
        tools_used: row.tools_used,
        metadata: row.text.metadata,
        version: row.version,
        utility,
        q_value: row.q,
        credit: row.credit.value(),
        evidence: row.credit.evidence(),
        credit_interval: [low, high],
        reviews: row.reviews,
        passes: row.passes,
        runs: row.runs,
        last_used: row.last_used,
        success: row.success,
        origin: row.origin,
        source_trace_id: row.source_trace,
        source_review_id: row.source_review,
        author_key_id: row.author_key,
        trust: row.trust,
        model: row.model,
        prompt_version: row.prompt_version,
        note: row.note,
        created_at: row.created_at,
    }
}

pub(crate) fn memory_detail(detail: Valued<MemoryDetailRow>) -> MemoryDetail {
    let Valued { memory: MemoryDetailRow { memory, provenance, versions }, utility } = detail;
    let provenance = MemoryProvenance {
        trace_id: memory.source_trace,
        trace_task: provenance.task,
        trace_created_at: provenance.ran_at,
        // A step of a run has the review of its run.
        review_id: memory.source_review.or(provenance.review_id),
        result: provenance.passed.map(result),
        feedback_text: provenance.feedback,
        reviewer: provenance.reviewer,
        reviewed_at: provenance.reviewed_at,
        review_live: provenance.live.filter(|_| provenance.passed.is_some()),
        key_id: memory.author_key,
        key_public_id: provenance.public_id,
        key_label: provenance.label,
        trust: memory.trust,
        model: memory.model.clone(),
        prompt_version: memory.prompt_version,
        imported: imported_from(provenance.import_key, provenance.import_source),
    };
    let current = memory.version;
    let versions = versions.into_iter().map(|row| MemoryVersion {
        version: row.version,
        current: row.version == current,
        action_id: row.action_id,
        actor: row.actor,
        created_at: row.created_at,
        task: row.text.task,
        reflection: row.text.reflection,
        summary: row.text.summary,
        guidance: row.text.guidance,
        key_mistake: row.text.key_mistake,
        correct_action: row.text.correct_action,
        applicable_tools: row.text.applicable_tools,
        metadata: row.text.metadata,
    });
    MemoryDetail {
        versions: versions.collect(),
        memory: stored_memory(Valued { memory, utility }),
        provenance,
    }
}

pub(crate) fn curation_answer(curated: Curated, memory: Valued<FullMemoryRow>) -> CurationAnswer {
    CurationAnswer { action_id: curated.action_id, memory: stored_memory(memory) }
}

pub(crate) fn bulk_answer(
    outcome: BulkCurationOutcome,
    action: BulkCurationAction,
    dry_run: bool,
) -> BulkAnswer {
    let done = match action {
        BulkCurationAction::Disable => "disabled",
        BulkCurationAction::Enable => "enabled",
        BulkCurationAction::Quarantine => "quarantined",
        BulkCurationAction::Release => "released",
        BulkCurationAction::Unpin => "unpinned",
        BulkCurationAction::Delete => "deleted",
    };
    let BulkCurationOutcome { action_id, matched, changed, first } = outcome;
    let mood = if dry_run { "would be" } else { "were" };
    let effect = format!("{changed} of {matched} memories {mood} {done}; the others do not change");
    BulkAnswer { action_id, dry_run, matched, changed, memory_ids: first, effect }
}

pub(crate) fn memory_history(memory_id: MemoryId, history: MemoryTimeline) -> MemoryHistory {
    let steps = history.steps.into_iter().map(|step| HistoryStep {
        at: step.at,
        q_before: step.q.0,
        q_after: step.q.1,
        credit_before: step.credit.map(|(before, _)| before.value()),
        credit_after: step.credit.map(|(_, after)| after.value()),
        evidence_before: step.credit.map(|(before, _)| before.evidence()),
        evidence_after: step.credit.map(|(_, after)| after.evidence()),
        review: step.review.map(|review| HistoryReview {
            review_id: review.review_id,
            trace_id: review.trace_id,
            result: result(review.passed),
            reviewer: review.reviewer,
            used: review.used,
            used_by: review.used_by,
            expected: review.expected,
            withdrawn: review.withdrawn,
        }),
        care: step.curation.map(|curation| HistoryCuration {
            action_id: curation.action_id,
            kind: curation.kind,
            actor: curation.actor,
            facet: curation.facet.to_owned(),
            before: curation.before,
            after: curation.after,
            undone: curation.undone,
        }),
    });
    MemoryHistory { memory_id, steps: steps.collect(), left_off: history.left_off }
}

pub(crate) fn memory_use(row: UseRow) -> MemoryUse {
    MemoryUse {
        review_id: row.review_id,
        trace_id: row.trace_id,
        task: row.task,
        result: result(row.reward >= 0.5),
        used: row.used,
        rank: row.place,
        similarity: row.similarity,
        q_before: row.q.0,
        q_after: row.q.1,
        at: row.created_at,
    }
}

pub(crate) fn memory_neighbour(near: Valued<NearMemory>) -> MemoryNeighbour {
    let Valued { memory: near, utility } = near;
    MemoryNeighbour {
        id: near.memory_id,
        similarity: near.similarity,
        status: near.status,
        task: near.task,
        reflection: near.reflection,
        utility,
        q_value: near.q,
        credit: near.credit.value(),
        evidence: near.credit.evidence(),
    }
}

pub(crate) fn action(row: ActionRow) -> Action {
    Action {
        id: row.action_id,
        actor: row.actor,
        kind: row.kind,
        summary: row.summary,
        memories: row.memories,
        reviews: row.reviews,
        created_at: row.created_at,
        undone_at: row.undone_at,
        undone_by: row.undone_by,
    }
}

const fn result(passed: bool) -> ReviewResult {
    if passed { ReviewResult::Pass } else { ReviewResult::Fail }
}
