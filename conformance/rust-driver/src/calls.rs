//! Calls with a single response: one client method each.

use std::time::Duration;

use reflect_sdk::api::{AuthoredReflection, CreateApiKey, CreateSkill};
use reflect_sdk::types::{KeyId, ReviewResult, ReviewStatus, TraceId};
use reflect_sdk::{Augmented, ReflectClient};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::arguments::{Query, Review, Trace, parsed};
use crate::problem::Problem;
use crate::session::read;

/// Calls the method of this name.
pub(crate) async fn call(client: &ReflectClient, name: &str, said: Value) -> Result<Value, Problem> {
    Ok(match name {
        "health" => json!(client.server.health().await?),
        "query_memories" => json!(client.memories.query(read::<Query>(said)?.said()).await?.memories),
        "augment_with_memories" => augmented(&client.memories.augment(read::<Query>(said)?.said()).await?),
        "create_memory" => {
            let Authored { task, result, lesson } = read(said)?;
            let result = parsed::<ReviewResult>("result of a review", &result)?;
            json!(client.memories.create(task, result, lesson).await?)
        }
        "create_trace" => json!(client.traces.create(read::<Trace>(said)?.said()?).await?),
        "create_trace_and_wait" => {
            let Stored { trace, patience } = read(said)?;
            json!(client.traces.create_and_wait(trace.said()?, Duration::from_secs_f64(patience)).await?)
        }
        "wait_for_trace" => {
            let Awaited { trace_id, require_reviewed, patience } = read(said)?;
            let patience = Duration::from_secs_f64(patience);
            json!(client.traces.wait_for(trace_named(&trace_id)?, require_reviewed, patience).await?)
        }
        "get_trace" => {
            json!(client.traces.get(trace_named(&read::<OfTrace>(said)?.trace_id)?).await?)
        }
        "list_traces" => {
            let word = read::<Listed>(said)?.review_status;
            let status = word.map(|word| parsed::<ReviewStatus>("status of a review", &word)).transpose()?;
            json!(client.traces.list(status).await?)
        }
        "delete_traces" => {
            let ids = read::<Several>(said)?.trace_ids;
            let ids = ids.iter().map(|id| trace_named(id)).collect::<Result<Vec<_>, _>>()?;
            json!(client.traces.delete(&ids).await?)
        }
        "review_trace" => {
            let Reviewed { trace_id, review } = read(said)?;
            json!(client.reviews.create(trace_named(&trace_id)?, review.said()?).await?)
        }
        "list_api_keys" => json!(client.keys.list().await?),
        "create_api_key" => json!(client.keys.create(read::<Key>(said)?.said()?).await?),
        "revoke_api_key" => {
            let id = parsed::<KeyId>("id of a key", &read::<OfKey>(said)?.key_id)?;
            json!(client.keys.revoke(id).await?)
        }
        "get_skill" => json!(client.skills.get().await?),
        "create_skill" => json!(client.skills.create(read::<CreateSkill>(said)?).await?),
        "delete_project" => json!(client.project.delete().await?),
        _ => return Err(Problem::protocol(format!("no call {name}"))),
    })
}

/// A task with its memories.
fn augmented(found: &Augmented) -> Value {
    json!({
        "task": found.task,
        "augmented_task": found.augmented_task,
        "memory_block": found.memory_block,
        "memories": found.memories,
        "retrieval_id": found.retrieval_id,
        "degraded": found.degraded,
    })
}

fn trace_named(id: &str) -> Result<TraceId, Problem> {
    parsed("id of a trace", id)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Authored {
    task: String,
    result: String,
    lesson: AuthoredReflection,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    trace: Trace,
    /// In seconds.
    patience: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Awaited {
    trace_id: String,
    require_reviewed: bool,
    /// In seconds.
    patience: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfTrace {
    trace_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    review_status: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Several {
    trace_ids: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reviewed {
    trace_id: String,
    review: Review,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Key {
    label: String,
    scopes: Vec<String>,
    environment: String,
}

impl Key {
    fn said(self) -> Result<CreateApiKey, Problem> {
        let scopes = self.scopes.iter().map(|scope| parsed("scope", scope)).collect::<Result<_, _>>()?;
        let environment = Some(parsed("environment", &self.environment)?);
        Ok(CreateApiKey { label: self.label, scopes, environment, ..CreateApiKey::default() })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfKey {
    key_id: String,
}
