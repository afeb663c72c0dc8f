//! The fields of bodies that contain another body without a level of its own. With `serde(flatten)`, serde buffers such
//! a body, so unknown fields could not be reported and errors would have no position.

use reflect_types::{Alpha, Ranking, ReviewResult};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::curation::{ImportedFrom, WriteMemory};
use crate::memories::{AugmentTask, QueryMemories};
use crate::reviews::{AuthoredReflection, ReviewOfTrace, ReviewTrace};

/// Declares a struct whose fields may be absent, except the first ones.
macro_rules! flat {
    ($name:ident {
        $($required:ident: $required_type:ty),+;
        $($(#[$reader:meta])? $optional:ident: $optional_type:ty),+ $(,)?
    }) => {
        #[derive(Deserialize)]
        pub(crate) struct $name {
            $($required: $required_type,)+
            $(#[serde(default)] $(#[$reader])? $optional: $optional_type,)+
        }
    };
}

flat!(FlatReview {
    trace_id: String, result: ReviewResult;
    feedback_text: Option<String>,
    alpha: Option<Alpha>,
    reflection: Option<AuthoredReflection>,
    replace: bool,
    grace_seconds: Option<u32>,
    reviewer: Option<String>,
});

impl From<FlatReview> for ReviewOfTrace {
    fn from(flat: FlatReview) -> Self {
        let FlatReview {
            trace_id,
            result,
            feedback_text,
            alpha,
            reflection,
            replace,
            grace_seconds,
            reviewer,
        } = flat;
        let review =
            ReviewTrace { result, feedback_text, alpha, reflection, replace, grace_seconds, reviewer };
        Self { trace_id, review }
    }
}

flat!(FlatAugment {
    task: String;
    limit: Option<usize>,
    lambda: Option<f32>,
    utility_weight: Option<f32>,
    mmr_lambda: Option<f32>,
    similarity_threshold: Option<f32>,
    #[serde(deserialize_with = "crate::limited::filter")] metadata_filter: Option<Map<String, Value>>,
    ranking: Option<Ranking>,
    #[serde(deserialize_with = "crate::limited::filter")] metadata_exclude: Option<Map<String, Value>>,
    max_tokens: Option<usize>,
    include_ids: Option<bool>,
});

impl From<FlatAugment> for AugmentTask {
    fn from(flat: FlatAugment) -> Self {
        let query = QueryMemories {
            task: flat.task,
            limit: flat.limit,
            lambda: flat.lambda,
            utility_weight: flat.utility_weight,
            mmr_lambda: flat.mmr_lambda,
            similarity_threshold: flat.similarity_threshold,
            metadata_filter: flat.metadata_filter,
            ranking: flat.ranking,
            metadata_exclude: flat.metadata_exclude,
        };
        Self { query, max_tokens: flat.max_tokens, include_ids: flat.include_ids }
    }
}

flat!(FlatMemory {
    task: String;
    summary: String,
    guidance: String,
    key_mistake: String,
    correct_action: String,
    applicable_tools: Vec<String>,
    success: Option<bool>,
    #[serde(deserialize_with = "crate::limited::metadata")] metadata: Option<Map<String, Value>>,
    imported: Option<ImportedFrom>,
});

impl From<FlatMemory> for WriteMemory {
    fn from(flat: FlatMemory) -> Self {
        let FlatMemory { task, summary, guidance, key_mistake, correct_action, applicable_tools, .. } = flat;
        let lesson = AuthoredReflection { summary, guidance, key_mistake, correct_action, applicable_tools };
        Self { task, lesson, success: flat.success, metadata: flat.metadata, imported: flat.imported }
    }
}

#[cfg(test)]
mod tests {
    use crate::fields_of;

    use super::*;

    fn sorted<'a>(parts: &[&[&'a str]]) -> Vec<&'a str> {
        let mut names = parts.concat();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_flat_body_has_the_fields_of_its_parts() {
        let review = sorted(&[fields_of::<ReviewTrace>(), &["trace_id"]]);
        assert_eq!(sorted(&[fields_of::<ReviewOfTrace>()]), review);
        let augment = sorted(&[fields_of::<QueryMemories>(), &["max_tokens", "include_ids"]]);
        assert_eq!(sorted(&[fields_of::<AugmentTask>()]), augment);
        let memory =
            sorted(&[fields_of::<AuthoredReflection>(), &["task", "success", "metadata", "imported"]]);
        assert_eq!(sorted(&[fields_of::<WriteMemory>()]), memory);
    }
}
