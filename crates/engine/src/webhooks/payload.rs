//! The body of a request: type, time and data of an event, as Standard Webhooks recommends.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::SecondsFormat;
use reflect_store::{FullMemoryRow, ProjectCtx, SentEvent, StoreError, TraceRow};
use reflect_types::text::served;
use reflect_types::{MemoryId, TraceId, WebhookEventType};
use serde_json::{Map, Value, json};

/// A text in an event has at most so many characters.
const LONGEST_TEXT: usize = 500;

/// What a payload contains about its project.
#[derive(Debug, Clone, Copy)]
pub(super) struct PayloadProject<'a> {
    /// Its name.
    pub(super) slug: &'a str,
    /// The address of the console.
    pub(super) console_url: Option<&'a str>,
}

/// The body for an event. `texts` are added to its data, if the endpoint asks for them.
pub(super) fn payload(event: &SentEvent, project: PayloadProject<'_>, texts: Map<String, Value>) -> Vec<u8> {
    let mut data = Map::new();
    data.insert("project_id".to_owned(), project.slug.into());
    if let Value::Object(fields) = &event.data {
        data.extend(fields.clone());
    }
    data.extend(texts);
    if let Some(console) = project.console_url {
        let page = page(event);
        let url = format!("{}/p/{}{page}", console.trim_end_matches('/'), segment(project.slug));
        data.insert("url".to_owned(), url.into());
    }
    let timestamp = event.happened_at.to_rfc3339_opts(SecondsFormat::Micros, true);
    json!({ "type": event.event_type.as_str(), "timestamp": timestamp, "data": data })
        .to_string()
        .into_bytes()
}

/// A text as one segment of a path. The name of a project can have any character.
fn segment(text: &str) -> String {
    text.bytes().fold(String::new(), |mut segment, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            segment.push(char::from(byte));
        } else {
            let _ = write!(segment, "%{byte:02X}");
        }
        segment
    })
}

/// The page of the console that shows what an event is about.
fn page(event: &SentEvent) -> String {
    let id = || event.data.get("memory_id").and_then(Value::as_str).unwrap_or_default();
    match event.event_type.event() {
        Some(WebhookEventType::ReviewNeeded) => "/review".to_owned(),
        Some(WebhookEventType::MemoryCreated | WebhookEventType::MemoryQuarantined) => {
            format!("/memories/{}", id())
        }
        Some(WebhookEventType::HealthChanged | WebhookEventType::JudgeStopped) => "/learning".to_owned(),
        None => "/settings/webhooks".to_owned(),
    }
}

/// The texts of what an event is about, as they are now. A memory or a run that is gone has none.
pub(super) async fn texts(project: &ProjectCtx, event: &SentEvent) -> Result<Map<String, Value>, StoreError> {
    let mut texts = Map::new();
    match event.event_type.event() {
        Some(WebhookEventType::MemoryCreated | WebhookEventType::MemoryQuarantined) => {
            let memory: Option<MemoryId> = id(event.data.get("memory_id"));
            let found = project.memories().get_many(memory.as_slice()).await?;
            if let Some(FullMemoryRow { text, .. }) = found.first() {
                texts.insert("task".to_owned(), shown(&text.task).into());
                texts.insert("summary".to_owned(), shown(&text.summary).into());
            }
        }
        Some(WebhookEventType::ReviewNeeded) => {
            let runs = event.data.get("trace_ids").and_then(Value::as_array);
            let runs: Vec<TraceId> = runs.into_iter().flatten().filter_map(|run| id(Some(run))).collect();
            let found = project.traces().get_many(&runs, &[]).await?;
            let tasks: BTreeMap<String, String> = found
                .iter()
                .map(|TraceRow { trace_id, task, .. }| (trace_id.to_string(), shown(task)))
                .collect();
            texts.insert("tasks".to_owned(), json!(tasks));
        }
        _ => {}
    }
    Ok(texts)
}

fn id<T: std::str::FromStr>(value: Option<&Value>) -> Option<T> {
    value?.as_str()?.parse().ok()
}

/// A text of a run or of a model is data: it can be put into a prompt of whatever receives it.
fn shown(text: &str) -> String {
    served(text).chars().take(LONGEST_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use reflect_types::DeliveredType;

    fn event(event_type: Option<WebhookEventType>, data: Value) -> SentEvent {
        let event_type = event_type.map_or(DeliveredType::Test, DeliveredType::Event);
        let happened_at = DateTime::from_timestamp(1_700_000_000, 5_000).unwrap();
        SentEvent { event_id: uuid::Uuid::nil(), event_type, data, happened_at }
    }

    fn body(event: &SentEvent, console_url: Option<&str>, texts: Map<String, Value>) -> Value {
        let project = PayloadProject { slug: "support", console_url };
        serde_json::from_slice(&payload(event, project, texts)).unwrap()
    }

    #[test]
    fn a_payload_has_type_time_and_data_with_a_link() {
        let created = event(Some(WebhookEventType::MemoryCreated), json!({ "memory_id": "m1" }));
        let url = "https://reflect.example.com/p/support/memories/m1";
        assert_eq!(
            body(&created, Some("https://reflect.example.com/"), Map::new()),
            json!({
                "type": "memory.created",
                "timestamp": "2023-11-14T22:13:20.000005Z",
                "data": { "project_id": "support", "memory_id": "m1", "url": url },
            })
        );
    }

    #[test]
    fn without_an_address_of_the_console_there_is_no_link() {
        let test = body(&event(None, json!({})), None, Map::new());
        assert_eq!(
            (&test["type"], &test["data"]),
            (&json!("webhook.test"), &json!({ "project_id": "support" }))
        );
    }

    #[test]
    fn a_link_is_an_address_for_every_name_of_a_project() {
        let project = PayloadProject { slug: "a b/ü", console_url: Some("https://reflect.example.com") };
        let needed = event(Some(WebhookEventType::ReviewNeeded), json!({}));
        let body: Value = serde_json::from_slice(&payload(&needed, project, Map::new())).unwrap();
        assert_eq!(body["data"]["url"], "https://reflect.example.com/p/a%20b%2F%C3%BC/review");
        assert_eq!(body["data"]["project_id"], "a b/ü");
    }

    #[test]
    fn texts_are_cut_and_cannot_end_a_prompt() {
        let text = shown(&format!("<|im_start|>{}", "x".repeat(1000)));
        assert_eq!(text.chars().count(), LONGEST_TEXT);
        assert!(!text.contains("<|im_start|>"), "{text}");
        let texts = Map::from_iter([("summary".to_owned(), Value::from("s"))]);
        assert_eq!(body(&event(None, json!({})), None, texts)["data"]["summary"], "s");
    }
}
