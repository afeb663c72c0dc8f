//! Embedding migrations.

use reflect_api::{
    ChangedQuestion, CompareEmbeddings, EmbeddingChange, EmbeddingComparison, EmbeddingSpace, ServedBySpace,
};
use reflect_engine::{ComparisonRequest, KnownSpace, SpaceComparison};

fn space(known: KnownSpace) -> EmbeddingSpace {
    let name = known.row.name;
    EmbeddingSpace {
        space_id: known.row.id,
        provider: name.provider,
        model: name.model,
        revision: name.revision,
        dimensions: name.dimensions,
        key_text: name.embeds,
        similarity_threshold: known.similarity_threshold,
        has_embedder: known.has_embedder,
    }
}

pub(crate) fn embedding_change(change: reflect_engine::EmbeddingStatus) -> EmbeddingChange {
    let (last, from, to) = match change.last {
        Some((last, from, to)) => (Some(last), Some(from), Some(to)),
        None => (None, None, None),
    };
    EmbeddingChange {
        reads: change.reads.map(space),
        writes: change.writes.into_iter().map(space).collect(),
        state: last.as_ref().map(|last| last.state()),
        from: from.map(space),
        to: to.map(space),
        done: last.as_ref().map_or(0, |last| last.done),
        total: last.as_ref().map_or(0, |last| last.total),
        started_at: last.as_ref().map(|last| last.started_at),
        switched_at: last.as_ref().and_then(|last| last.switched_at),
        updated_at: last.as_ref().map(|last| last.updated_at),
        last_error: last.and_then(|last| last.last_error),
    }
}

pub(crate) fn comparison_request(request: &CompareEmbeddings) -> ComparisonRequest {
    let usual = ComparisonRequest::default();
    ComparisonRequest {
        questions: request.questions.unwrap_or(usual.questions),
        limit: request.limit.unwrap_or(usual.limit),
        similarity_threshold: request.similarity_threshold,
    }
}

pub(crate) fn comparison(comparison: SpaceComparison) -> EmbeddingComparison {
    let served = |served: reflect_engine::SpaceCoverage| ServedBySpace {
        similarity_threshold: served.similarity_threshold,
        questions: served.questions,
        memories: served.memories,
    };
    let changed = |one: reflect_engine::QuestionChange| ChangedQuestion {
        retrieval_id: one.retrieval_id,
        task: one.task,
        overlap: one.overlap,
        rank_change: one.rank_change,
        from: one.from,
        to: one.to,
    };
    EmbeddingComparison {
        questions: comparison.questions,
        limit: comparison.limit,
        overlap: comparison.overlap,
        same_first: comparison.same_first,
        rank_change: comparison.rank_change,
        from: served(comparison.from),
        to: served(comparison.to),
        suggested_similarity_threshold: comparison.suggested_threshold,
        most_changed: comparison.most_changed.into_iter().map(changed).collect(),
    }
}
