//! The reflector, and a client that records its calls.

use std::error::Error;

use async_trait::async_trait;
use reflect_sdk::ReflectClient;
use reflection_pipeline::{Analysis, ReflectionError, ReflectionInput};
use reflexion_loop::{LongTermMemory, Recall, RecallQuery, Recorded, Reflector, Task, TraceRecord};

use super::diary::Diary;
use crate::arguments::{Moment, Phase};

/// A reflector that knows the solution.
pub(super) struct Writer(pub(super) Diary);

#[async_trait]
impl Reflector for Writer {
    async fn analyze(&self, input: &ReflectionInput) -> Result<Analysis, ReflectionError> {
        let moment = Moment::before(Phase::Reflect, input.iteration.unwrap_or_default());
        self.0.reached(moment).await.map_err(|error| ReflectionError::Other(error.into()))?;
        Ok(Analysis {
            summary: "The period had a beginning and no end.".to_owned(),
            root_causes: vec!["A month was taken for everything since its first day.".to_owned()],
            suggestions: vec![format!("For each month, {}.", super::TRICK)],
            ..Analysis::default()
        })
    }
}

/// The client, with a record of each call.
pub(super) struct Memory {
    pub(super) client: ReflectClient,
    pub(super) diary: Diary,
    pub(super) forgets_key: bool,
}

#[async_trait]
impl LongTermMemory for Memory {
    async fn recall(&self, task: &Task, query: &RecallQuery) -> Result<Recall, Box<dyn Error + Send + Sync>> {
        self.diary.reached(Moment::before(Phase::Recall, query.trial)).await?;
        let recalled = self.client.recall(task, query).await?;
        self.diary.reached(Moment::after(Phase::Recall, query.trial)).await?;
        Ok(recalled)
    }

    async fn record(&self, mut record: TraceRecord<'_>) -> Result<Recorded, Box<dyn Error + Send + Sync>> {
        let trial = record.metadata.get("trial").and_then(serde_json::Value::as_u64).unwrap_or_default();
        let trial = u32::try_from(trial)?;
        if self.forgets_key {
            record.idempotency_key.push_str(&uuid::Uuid::now_v7().to_string());
        }
        self.diary.reached(Moment::before(Phase::Record, trial)).await?;
        let recorded = self.client.record(record).await?;
        self.diary.reached(Moment::after(Phase::Record, trial)).await?;
        Ok(recorded)
    }
}
