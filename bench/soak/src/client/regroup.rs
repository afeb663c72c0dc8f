//! Moves memories between lessons, as people do.

use serde_json::json;

use super::{Call, Client};

impl Client {
    /// Moves a memory to the lesson that another one founded, if that still exists. What the memory absorbed must follow.
    pub(crate) async fn move_memory(&mut self, tenant: usize) {
        let (memory, lesson) = (self.known_memory(tenant, false), self.known_memory(tenant, true));
        let (Some(memory), Some(lesson)) = (memory, lesson) else { return };
        let path = format!("memories/{memory}/move");
        let reply = self.ask(&Call::post(tenant, &path, json!({ "lesson_id": lesson }))).await;
        self.count("moved memory", &reply);
    }
}
