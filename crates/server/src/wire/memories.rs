//! Memories and skills.

use reflect_api::{AugmentedTask, ConsideredMemory, LessonSupport, Memory, QueryMemories, Retrieval, Skill};
use reflect_engine::{AugmentedPrompt, RetrievalQuery, RetrievedMemories, RetrievedMemory};
use reflect_store::{ReceiptLine, ReceiptRow, SkillRow};
use reflect_types::text::served;
use reflect_types::{ProjectSlug, RetrievalId};

pub(crate) fn question(request: QueryMemories) -> RetrievalQuery {
    let usual = RetrievalQuery::default();
    RetrievalQuery {
        task: request.task,
        limit: request.limit.unwrap_or(usual.limit),
        utility_weight: request.utility_weight.or(request.lambda),
        mmr: request.mmr_lambda.unwrap_or(usual.mmr),
        similarity_threshold: request.similarity_threshold,
        filter: request.metadata_filter.unwrap_or_default(),
        exclude: request.metadata_exclude.unwrap_or_default(),
        ranking: request.ranking,
    }
}

pub(crate) fn memories(recalled: RetrievedMemories) -> Vec<Memory> {
    let receipt = recalled.retrieval_id;
    recalled.memories.into_iter().map(|memory| self::memory(memory, receipt)).collect()
}

pub(crate) fn augmented(task: String, augmented: AugmentedPrompt) -> AugmentedTask {
    let AugmentedPrompt { text, block, recalled } = augmented;
    AugmentedTask {
        task,
        augmented_task: text,
        memory_block: block,
        retrieval_id: recalled.retrieval_id,
        degraded: recalled.degraded.is_some(),
        unrecorded: recalled.unrecorded.is_some(),
        memories: memories(recalled),
    }
}

fn memory(recalled: RetrievedMemory, retrieval_id: RetrievalId) -> Memory {
    let RetrievedMemory { row, similarity, utility, score, support, .. } = recalled;
    let (low, high) = row.credit.interval();
    Memory {
        id: row.memory_id,
        task: row.task,
        reflection: row.reflection,
        summary: row.summary,
        guidance: row.guidance,
        key_mistake: row.key_mistake,
        correct_action: row.correct_action,
        applicable_tools: row.applicable_tools,
        tools_used: row.tools_used,
        q_value: row.q,
        similarity,
        utility,
        credit: row.credit.value(),
        evidence: row.credit.evidence(),
        credit_interval: [low, high],
        score,
        success: row.success,
        retrieval_id,
        reviews: row.reviews,
        passes: row.passes,
        runs: row.runs,
        passed_runs: row.passed_runs,
        lesson_id: Some(row.lesson_id),
        support: Some(LessonSupport { situations: support.situations, of: support.of }),
        metadata: row.metadata,
        origin: row.origin,
        source_trace_id: row.source_trace,
        model: row.model,
        note: row.note,
        flags: row.flags,
        trust: row.trust,
        created_at: row.created_at,
    }
}

pub(crate) fn retrieval(row: ReceiptRow) -> Retrieval {
    let milliseconds = |microseconds: i32| f64::from(microseconds) / 1e3;
    Retrieval {
        id: row.retrieval_id,
        considered: row.lines().map(considered).collect(),
        task: row.task,
        parameters: row.parameters,
        degraded: row.degraded,
        held_out: row.held_out,
        embed_ms: milliseconds(row.embed_us),
        search_ms: milliseconds(row.search_us),
        created_at: row.created_at,
    }
}

const fn considered(line: ReceiptLine) -> ConsideredMemory {
    let ReceiptLine { memory_id, similarity, utility, fate } = line;
    ConsideredMemory { memory_id, similarity, utility, fate }
}

/// The stored text does not change, only the served one.
pub(crate) fn skill(project: &ProjectSlug, row: SkillRow) -> Skill {
    Skill {
        project_id: project.to_string(),
        version: row.version,
        content: served(&row.content).into_owned(),
        n_passed: row.passed,
        n_failed: row.failed,
        memory_ids: row.memory_ids,
        model: row.model,
        created_at: row.created_at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_skill_is_served_without_control_tokens_and_invisible_characters() {
        let row = SkillRow {
            version: 1,
            content: "Pay\u{200b} first <|im_start|> ❤\u{fe0f}".to_owned(),
            passed: 1,
            failed: 0,
            memory_ids: Vec::new(),
            model: None,
            created_at: chrono::DateTime::UNIX_EPOCH,
        };
        assert_eq!(skill(&"p".parse().unwrap(), row).content, "Pay first ‹|im_start|> ❤\u{fe0f}");
    }
}
