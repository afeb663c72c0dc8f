//! Calls that change stored memories.

use reflect_api::{
    BulkAnswer, CurateMemories, CurationAnswer, EditMemory, EraseMemory, MergeMemories, WriteMemory,
};
use reflect_types::MemoryId;
use reqwest::Method;
use uuid::Uuid;

use crate::connection::Connection;
use crate::error::Error;
use crate::wire::Request;

/// Calls that change stored memories: `client.curation`.
#[derive(Debug, Clone)]
pub struct CurationCalls {
    pub(crate) connection: Connection,
}

impl CurationCalls {
    /// Writes a memory without a trace that it was learned from.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::{AuthoredReflection, WriteMemory};
    ///
    /// let lesson = AuthoredReflection { guidance: "Convert dates first.".into(), ..Default::default() };
    /// let request = WriteMemory { task: "Book a meeting".into(), lesson, success: None, metadata: None, imported: None };
    /// let memory = client.curation.write(&request).await?.memory;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn write(&self, request: &WriteMemory) -> Result<CurationAnswer, Error> {
        let request = Request::post(self.connection.path(&["memories"]), request)?.once(Uuid::now_v7());
        self.connection.ask("curation.write", request).await
    }

    /// Changes the text of a memory. Absent fields stay unchanged.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient, id: reflect_sdk::types::MemoryId)
    /// # -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::EditMemory;
    ///
    /// let edit = EditMemory { guidance: Some("Ask for the time zone.".into()), ..Default::default() };
    /// client.curation.edit(id, &edit).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn edit(&self, memory_id: MemoryId, edit: &EditMemory) -> Result<CurationAnswer, Error> {
        let path = memory_path(&self.connection, memory_id, None);
        self.connection.ask("curation.edit", Request::new(Method::PATCH, path).with_body(edit)?).await
    }

    /// Merges memories into one. Their utilities are pooled, and the others refer to the one that stays.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::MergeMemories;
    ///
    /// let request = MergeMemories { survivor_id: "0190…".into(), memory_ids: vec!["0191…".into()], text: None };
    /// client.curation.merge(&request).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn merge(&self, request: &MergeMemories) -> Result<CurationAnswer, Error> {
        self.connection
            .ask("curation.merge", Request::post(self.connection.path(&["memories", "merge"]), request)?)
            .await
    }

    /// Applies an action to all memories that match a filter. A dry run only reports the effect.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::{BulkCurationAction, CurateMemories, MemorySelection};
    ///
    /// let filter = MemorySelection { credit_below: Some(0.3), evidence_at_least: Some(5), ..Default::default() };
    /// let action = BulkCurationAction::Disable;
    /// let request = CurateMemories { filter, q: None, action, dry_run: true, all: false };
    /// println!("{}", client.curation.change_many(&request).await?.effect);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn change_many(&self, request: &CurateMemories) -> Result<BulkAnswer, Error> {
        self.connection
            .ask("curation.change_many", Request::post(self.connection.path(&["memories", "bulk"]), request)?)
            .await
    }

    /// Disables a memory. Its history is kept.
    pub async fn disable(&self, memory_id: MemoryId) -> Result<CurationAnswer, Error> {
        self.post("curation.disable", memory_id, "disable").await
    }

    /// Enables a memory that was disabled or deleted.
    pub async fn enable(&self, memory_id: MemoryId) -> Result<CurationAnswer, Error> {
        self.post("curation.enable", memory_id, "enable").await
    }

    /// Pins a memory: it is the first result of every query.
    pub async fn pin(&self, memory_id: MemoryId) -> Result<CurationAnswer, Error> {
        self.post("curation.pin", memory_id, "pin").await
    }

    /// Unpins a memory.
    pub async fn unpin(&self, memory_id: MemoryId) -> Result<CurationAnswer, Error> {
        self.post("curation.unpin", memory_id, "unpin").await
    }

    /// Quarantines a memory: it is not served until it is released.
    pub async fn quarantine(&self, memory_id: MemoryId) -> Result<CurationAnswer, Error> {
        self.post("curation.quarantine", memory_id, "quarantine").await
    }

    /// Releases a memory from quarantine.
    pub async fn release(&self, memory_id: MemoryId) -> Result<CurationAnswer, Error> {
        self.post("curation.release", memory_id, "release").await
    }

    /// Deletes a memory. It is no longer served and can be enabled again. Its text stays until it is erased.
    pub async fn delete(&self, memory_id: MemoryId) -> Result<CurationAnswer, Error> {
        self.connection
            .ask("curation.delete", Request::delete(memory_path(&self.connection, memory_id, None)))
            .await
    }

    /// Erases the text of a memory in all versions, permanently. Its statistics stay.
    pub async fn erase(&self, memory_id: MemoryId) -> Result<CurationAnswer, Error> {
        let body = EraseMemory { memory_id: memory_id.to_string() };
        self.connection
            .ask(
                "curation.erase",
                Request::post(memory_path(&self.connection, memory_id, Some("erase")), &body)?,
            )
            .await
    }

    async fn post(
        &self,
        call: &'static str,
        memory_id: MemoryId,
        verb: &'static str,
    ) -> Result<CurationAnswer, Error> {
        // Safe to repeat: the second request finds the memory already in that state.
        self.connection
            .ask(
                call,
                Request::post(memory_path(&self.connection, memory_id, Some(verb)), &serde_json::json!({}))?,
            )
            .await
    }
}

pub(super) fn memory_path(connection: &Connection, memory_id: MemoryId, suffix: Option<&str>) -> String {
    let id = memory_id.to_string();
    let segments: Vec<&str> = ["memories", &id].into_iter().chain(suffix).collect();
    connection.path(&segments)
}
