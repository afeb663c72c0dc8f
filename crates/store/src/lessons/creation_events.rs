//! Events about a new memory.

use reflect_types::{LessonId, TraceId, WebhookEventType};
use serde_json::json;

use super::NewMemoryRow;
use crate::outbox::NewEvent;

/// The events about the creation of a memory, and about its quarantine if it is created in quarantine.
pub(crate) fn creation_events(
    memory: &NewMemoryRow,
    trace: Option<TraceId>,
    lesson: Option<LessonId>,
) -> Vec<NewEvent> {
    let id = memory.memory_id;
    let data = json!({
        "memory_id": id,
        "lesson_id": lesson,
        "trace_id": trace,
        "origin": memory.origin.as_str(),
        "trust": memory.trust.as_str(),
        "quarantined": memory.quarantined,
    });
    let created = NewEvent::about_memory(WebhookEventType::MemoryCreated, id, data);
    let quarantined = memory.quarantined.then(|| NewEvent::quarantined(id, "created"));
    std::iter::once(created).chain(quarantined).collect()
}
