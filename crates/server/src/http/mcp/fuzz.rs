//! Fuzz targets: arguments of tools, and the header Host.

use reflect_api::{CreateTrace, QueryMemories, ReviewTrace, decode};
use reflect_fuzz::{CaseSource, FuzzTarget};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::access::is_known_host;
use super::arguments::{self, CreateMemory, GetSkill, RecordRun, RetrieveMemories, ReviewRun};
use crate::app::ServerSettings;
use crate::error::ApiError;

const WORDS: &[&str] = &[
    "query",
    "task",
    "limit",
    "lambda",
    "lambda_",
    "utility_weight",
    "metadata_filter",
    "result",
    "pass",
    "fail",
    "success",
    "failure",
    "summary",
    "guidance",
    "key_mistake",
    "correct_action",
    "applicable_tools",
    "reflection",
    "retrieved_memory_ids",
    "memory_ids",
    "retrieval_id",
    "trajectory",
    "final_response",
    "feedback_text",
    "feedback",
    "model",
    "metadata",
    "trace_id",
    "replace",
    "role",
    "content",
    "user",
];

#[test]
fn arguments_of_tools_become_bodies_that_the_api_accepts() {
    FuzzTarget::new("mcp-arguments").words(WORDS).run(call, |input| {
        let Ok(arguments) = serde_json::from_slice::<Map<String, Value>>(input) else { return };

        if let Some(read) = checked(arguments::read::<RetrieveMemories>(arguments.clone())) {
            let query = QueryMemories::from(read);
            assert!(query.limit.is_some_and(|limit| limit <= 20), "{:?}", query.limit);
            accepted(&query);
        }
        if let Some(read) = checked(arguments::read::<CreateMemory>(arguments.clone())) {
            let trace = read.into_trace().expect("a trace");
            assert!(trace.review.is_some());
            accepted::<CreateTrace>(&trace);
        }
        if let Some(read) = checked(arguments::read::<RecordRun>(arguments.clone())) {
            let trace = read.into_trace().expect("a trace");
            assert!(trace.review.is_none());
            accepted::<CreateTrace>(&trace);
        }
        if let Some(read) = checked(arguments::read::<ReviewRun>(arguments.clone())) {
            accepted(&ReviewTrace::from(read));
        }
        let _ = checked(arguments::read::<GetSkill>(arguments));
    });
}

fn checked<T>(read: Result<T, ApiError>) -> Option<T> {
    read.inspect_err(|error| {
        assert_eq!(error.code, "invalid_request");
        assert!(error.message.chars().count() <= 4_000, "{} bytes", error.message.len());
    })
    .ok()
}

/// The API must accept what a tool accepts, or its limits could be avoided.
fn accepted<T: Serialize + DeserializeOwned>(body: &T) {
    let printed = serde_json::to_vec(body).expect("a body can be written");
    if let Err(error) = decode::<T>(&printed).body {
        panic!("the API refuses {}: {error}", String::from_utf8_lossy(&printed));
    }
}

fn call(source: &mut CaseSource<'_>) -> String {
    let task = source.json_string();
    let (number, data) = (source.number(), source.json(3));
    let data =
        if source.once_in(10) { format!("{{\"a\":[{}0]}}", "0,".repeat(source.below(2000))) } else { data };
    let id = format!("\"{}\"", source.id());
    let ids = source.array(3, |source| format!("\"{}\"", source.id()));
    let reflection = match source.below(3) {
        0 => source.json_string(),
        1 => source.object(&[("summary", "\"s\"".to_owned())]),
        _ => source.json(2),
    };
    let trajectory = source.json(3);
    source.object(&[
        ("query", task.clone()),
        ("task", task),
        ("limit", number.clone()),
        ("lambda", number),
        ("metadata", data.clone()),
        ("metadata_filter", data),
        ("result", "\"pass\"".to_owned()),
        ("reflection", reflection),
        ("retrieved_memory_ids", ids),
        ("retrieval_id", id.clone()),
        ("trace_id", id),
        ("trajectory", trajectory),
    ])
}

#[test]
fn only_names_of_this_server_are_its_host() {
    let words =
        &["localhost", "127.0.0.1", "[::1]", "reflect.example", "evil.example", ":443", ".", "@", "[", "]"];
    let settings = ServerSettings {
        public_url: Some("https://reflect.example:8443".to_owned()),
        ..ServerSettings::default()
    };
    FuzzTarget::new("host").words(words).run(
        |source| match source.once_in(3) {
            true => source.text(6),
            false => (0..=source.size(5)).map(|_| source.word().to_owned()).collect(),
        },
        |input| {
            let Ok(host) = str::from_utf8(input) else { return };
            if is_known_host(host, &settings) {
                // What follows a port, or an address in brackets, is no name.
                let name = host.split([':', ']']).next().unwrap_or_default();
                let foreign = name.to_ascii_lowercase().contains("evil") || host.contains('@');
                assert!(!foreign, "{host} was accepted");
            }
        },
    );
}
