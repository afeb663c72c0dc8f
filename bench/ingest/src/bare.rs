//! The rows of a trace, for inserts without a server.

use reflect_store::Body;
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

/// The values of a bare INSERT of a trace. All are computed in advance.
#[derive(Debug)]
pub struct BareTrace {
    task: String,
    final_response: String,
    metadata: Value,
    body: Body,
    bytes: Vec<u8>,
}

impl From<&Value> for BareTrace {
    fn from(trace: &Value) -> Self {
        let body = Body::encode(&trace["trajectory"].to_string());
        Self {
            task: trace["task"].as_str().unwrap_or_default().to_owned(),
            final_response: trace["trajectory"][1]["content"].as_str().unwrap_or_default().to_owned(),
            metadata: trace["metadata"].clone(),
            bytes: body.stored_bytes().to_vec(),
            body,
        }
    }
}

impl BareTrace {
    /// The number of stored bytes of the body.
    pub const fn stored_length(&self) -> usize {
        self.bytes.len()
    }

    /// One auto-committed statement: the minimum that stores the same three rows.
    pub async fn insert(&self, connection: &mut PgConnection) -> anyhow::Result<()> {
        let statement = "
            with t as (
              insert into trace (project_id, trace_id, task, final_response, model, metadata, messages,
                                 content_digest, body_codec, body_length, body_digest, key_id, trust)
              values (1, $1, $2, $3, 'bench', $4, 30, $5, 1, 30000, $5, $1, 1)
            ), b as (
              insert into trace_body (project_id, trace_id, body) values (1, $1, $6)
            )
            insert into trace_state (project_id, trace_id, ingest) values (1, $1, 2)";
        sqlx::query(statement)
            .bind(Uuid::now_v7())
            .bind(&self.task)
            .bind(&self.final_response)
            .bind(&self.metadata)
            .bind(self.body.digest())
            .bind(&self.bytes)
            .execute(connection)
            .await?;
        Ok(())
    }
}
