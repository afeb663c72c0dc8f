//! The diagnosis.

use reflect_api::{Diagnosis, EmbedderState, SearchGraphState, TextModelState};
use reflect_engine::Visitor;

pub(crate) fn diagnosis(
    visitor: &Visitor,
    found: reflect_engine::ModelDiagnosis,
    restricted_database_role: bool,
) -> Diagnosis {
    Diagnosis {
        restricted_database_role: Some(restricted_database_role),
        caller: visitor.name.clone(),
        scopes: visitor.scopes.clone(),
        trust: visitor.trust,
        text_model: found.text_model.map(|(model, resting)| TextModelState {
            model,
            resting_seconds: resting.map(|resting| resting.as_secs_f64()),
        }),
        embedder: found.embedder.map(|embedder| {
            let answer = embedder.answer.as_ref().ok();
            EmbedderState {
                model: embedder.model,
                answered_in_ms: answer.map(|(took, _)| took.as_secs_f64() * 1000.0),
                dimensions: answer.map(|(_, dimensions)| *dimensions),
                error: embedder.answer.err(),
            }
        }),
        search_graph: found.graph.map(|graph| SearchGraphState {
            state: graph.state,
            vectors: graph.vectors,
            recall: graph.recall,
            questions: graph.questions,
            error: graph.last_error,
        }),
    }
}
