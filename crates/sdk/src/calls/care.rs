//! Calls that care for memories: reading them as they are stored, changing them, and undoing that.

use chrono::SecondsFormat;
use reflect_api::{
    Action, BulkAnswer, BulkCare, CareAnswer, EditMemory, EraseMemory, ListMemories, MemoryDetail,
    MemoryHistory, MemorySort, MergeMemories, StoredMemory, WriteMemory,
};
use reflect_types::MemoryId;
use reqwest::Method;
use uuid::Uuid;

use crate::address::with_query;
use crate::wire::Request;
use crate::{Error, Listing, Page, ReflectClient};

impl ReflectClient {
    /// One page of memories as they are stored, whatever their status. Their texts are for people and must not be
    /// pasted into a prompt; [`query_memories`](Self::query_memories) gives those that may.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::{ListMemories, MemorySort};
    ///
    /// let wish = ListMemories { sort: Some(MemorySort::Harm), limit: Some(10), ..Default::default() };
    /// for memory in client.page_of_memories(&wish).await?.items {
    ///     println!("{:.2} {}", memory.credit, memory.summary);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn page_of_memories(&self, wish: &ListMemories) -> Result<Page<StoredMemory>, Error> {
        self.page("page_of_memories", with_query(self.path(&["memories"]), &parameters(wish))).await
    }

    /// The same, one memory after the other.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// let mut memories = client.iter_memories(Default::default());
    /// while let Some(memory) = memories.next().await {
    ///     println!("{}", memory?.summary);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn iter_memories(&self, wish: ListMemories) -> Listing<StoredMemory> {
        let client = self.clone();
        Listing::new(move |cursor| {
            let client = client.clone();
            let mut wish = wish.clone();
            wish.cursor = cursor.or(wish.cursor);
            async move { client.page_of_memories(&wish).await }
        })
    }

    /// One memory as it is stored, where it came from, and what it has said before.
    pub async fn get_memory(&self, memory_id: MemoryId) -> Result<MemoryDetail, Error> {
        self.ask("get_memory", Request::get(self.memory_path(memory_id, None))).await
    }

    /// Every review that moved a memory and everything that was done to it, oldest first.
    pub async fn memory_history(&self, memory_id: MemoryId) -> Result<MemoryHistory, Error> {
        self.ask("memory_history", Request::get(self.memory_path(memory_id, Some("history")))).await
    }

    /// Writes a memory by hand, without a run that it was learned from.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::{AuthoredReflection, WriteMemory};
    ///
    /// let lesson = AuthoredReflection { guidance: "Convert dates first.".into(), ..Default::default() };
    /// let wish = WriteMemory { task: "Book a meeting".into(), lesson, success: None, metadata: None };
    /// let memory = client.write_memory(&wish).await?.memory;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn write_memory(&self, wish: &WriteMemory) -> Result<CareAnswer, Error> {
        let request = Request::post(self.path(&["memories"]), wish)?.once(Uuid::now_v7());
        self.ask("write_memory", request).await
    }

    /// Changes the text of a memory; what is absent stays.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient, id: reflect_sdk::types::MemoryId)
    /// # -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::EditMemory;
    ///
    /// let edit = EditMemory { guidance: Some("Ask for the time zone.".into()), ..Default::default() };
    /// client.edit_memory(id, &edit).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn edit_memory(&self, memory_id: MemoryId, edit: &EditMemory) -> Result<CareAnswer, Error> {
        let path = self.memory_path(memory_id, None);
        self.ask("edit_memory", Request::new(Method::PATCH, path).with_body(edit)?).await
    }

    /// Makes one memory of several: their utilities are pooled, and the others point at the one that stays.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::MergeMemories;
    ///
    /// let wish = MergeMemories { survivor_id: "0190…".into(), memory_ids: vec!["0191…".into()], text: None };
    /// client.merge_memories(&wish).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn merge_memories(&self, wish: &MergeMemories) -> Result<CareAnswer, Error> {
        self.ask("merge_memories", Request::post(self.path(&["memories", "merge"]), wish)?).await
    }

    /// Does something to all memories that a filter describes, or says what that would be.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::{BulkCare, CareVerb, MemorySelection};
    ///
    /// let filter = MemorySelection { credit_below: Some(0.3), evidence_at_least: Some(5), ..Default::default() };
    /// let wish = BulkCare { filter, action: CareVerb::Disable, dry_run: true, all: false };
    /// println!("{}", client.change_memories(&wish).await?.effect);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn change_memories(&self, wish: &BulkCare) -> Result<BulkAnswer, Error> {
        self.ask("change_memories", Request::post(self.path(&["memories", "bulk"]), wish)?).await
    }

    /// Takes a memory out of use. Its history is kept.
    pub async fn disable_memory(&self, memory_id: MemoryId) -> Result<CareAnswer, Error> {
        self.care("disable_memory", memory_id, "disable").await
    }

    /// Brings a memory back after it was disabled or deleted.
    pub async fn enable_memory(&self, memory_id: MemoryId) -> Result<CareAnswer, Error> {
        self.care("enable_memory", memory_id, "enable").await
    }

    /// Answers every question with this memory first.
    pub async fn pin_memory(&self, memory_id: MemoryId) -> Result<CareAnswer, Error> {
        self.care("pin_memory", memory_id, "pin").await
    }

    /// Pins a memory no more.
    pub async fn unpin_memory(&self, memory_id: MemoryId) -> Result<CareAnswer, Error> {
        self.care("unpin_memory", memory_id, "unpin").await
    }

    /// Serves a memory no more until somebody vouches for it.
    pub async fn quarantine_memory(&self, memory_id: MemoryId) -> Result<CareAnswer, Error> {
        self.care("quarantine_memory", memory_id, "quarantine").await
    }

    /// Vouches for a memory that is quarantined.
    pub async fn release_memory(&self, memory_id: MemoryId) -> Result<CareAnswer, Error> {
        self.care("release_memory", memory_id, "release").await
    }

    /// Deletes a memory. It is served no more and can be brought back; its text stays until it is erased.
    pub async fn delete_memory(&self, memory_id: MemoryId) -> Result<CareAnswer, Error> {
        self.ask("delete_memory", Request::delete(self.memory_path(memory_id, None))).await
    }

    /// Removes what a memory says, all versions of it, for good. Its numbers stay.
    pub async fn erase_memory(&self, memory_id: MemoryId) -> Result<CareAnswer, Error> {
        let body = EraseMemory { memory_id: memory_id.to_string() };
        self.ask("erase_memory", Request::post(self.memory_path(memory_id, Some("erase")), &body)?).await
    }

    /// One page of what was done to memories and reviews, newest first.
    pub async fn page_of_actions(
        &self,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> Result<Page<Action>, Error> {
        let parameters =
            [("cursor", cursor.map(str::to_owned)), ("limit", limit.map(|limit| limit.to_string()))];
        self.page("page_of_actions", with_query(self.path(&["actions"]), &parameters)).await
    }

    /// Undoes an action. What others did before or after it stays.
    pub async fn undo_action(&self, action_id: Uuid) -> Result<Action, Error> {
        let path = self.path(&["actions", &action_id.to_string(), "undo"]);
        self.ask("undo_action", Request::post(path, &serde_json::json!({}))?).await
    }

    async fn care(
        &self,
        call: &'static str,
        memory_id: MemoryId,
        verb: &'static str,
    ) -> Result<CareAnswer, Error> {
        // Asked twice, it is done once: the second time it is so already.
        self.ask(call, Request::post(self.memory_path(memory_id, Some(verb)), &serde_json::json!({}))?).await
    }

    fn memory_path(&self, memory_id: MemoryId, what: Option<&str>) -> String {
        let id = memory_id.to_string();
        let segments: Vec<&str> = ["memories", &id].into_iter().chain(what).collect();
        self.path(&segments)
    }
}

fn parameters(wish: &ListMemories) -> Vec<(&'static str, Option<String>)> {
    let time = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(SecondsFormat::Micros, true);
    let number = |number: f64| number.to_string();
    vec![
        ("status", wish.status.clone()),
        ("origin", wish.origin.clone()),
        ("pinned", wish.pinned.map(|pinned| pinned.to_string())),
        ("utility_below", wish.utility_below.map(number)),
        ("utility_above", wish.utility_above.map(number)),
        ("credit_below", wish.credit_below.map(number)),
        ("credit_above", wish.credit_above.map(number)),
        ("evidence_at_least", wish.evidence_at_least.map(|least| least.to_string())),
        ("author_key_id", wish.author_key_id.map(|id| id.to_string())),
        ("source_trace_id", wish.source_trace_id.map(|id| id.to_string())),
        ("created_after", wish.created_after.map(time)),
        ("created_before", wish.created_before.map(time)),
        ("text", wish.text.clone()),
        ("sort", wish.sort.map(|sort| sort_word(sort).to_owned())),
        ("limit", wish.limit.map(|limit| limit.to_string())),
        ("cursor", wish.cursor.clone()),
    ]
}

const fn sort_word(sort: MemorySort) -> &'static str {
    match sort {
        MemorySort::Newest => "newest",
        MemorySort::Utility => "utility",
        MemorySort::Evidence => "evidence",
        MemorySort::Attention => "attention",
        MemorySort::Harm => "harm",
    }
}
