//! Fuzz targets: bodies of requests, and headers and paths that the server reads itself.

use std::net::{IpAddr, SocketAddr};

use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use ipnet::IpNet;
use reflect_api::{
    AugmentTask, ChangeWebhook, CreateApiKey, CreateErasure, CreateTrace, CreateTraces, CreateWebhook,
    CurateMemories, DeferTrace, EditMemory, MergeMemories, NextReviews, QueryMemories, ReviewInBulk,
    ReviewTrace, ReviewTraces, SendFeedback, SendSignals, WriteMemory,
};
use reflect_fuzz::{CaseSource, FuzzTarget, can_be_repeated, join, parts};
use reflect_types::Defence;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::ServerSettings;
use crate::http::client_address::ClientAddress;
use crate::http::cookie::Cookie;
use crate::http::json::{idempotency_key, is_json, parse};
use crate::http::path;
use crate::http::route::BodyLimit;
use crate::http::warnings::RequestWarnings;

const FIELDS: &[&str] = &[
    "task",
    "trajectory",
    "trace_id",
    "retrieved_memory_ids",
    "retrieval_id",
    "final_response",
    "metadata",
    "model",
    "review",
    "result",
    "pass",
    "fail",
    "success",
    "feedback_text",
    "reflection",
    "alpha",
    "replace",
    "grace_seconds",
    "reviewed_at",
    "reviewer",
    "traces",
    "reviews",
    "limit",
    "lambda",
    "utility_weight",
    "mmr_lambda",
    "similarity_threshold",
    "metadata_filter",
    "metadata_exclude",
    "ranking",
    "learned",
    "classic",
    "label",
    "scopes",
    "memory:read",
    "environment",
    "live",
    "trust",
    "expires_at",
    "expires_in_days",
    "address_ranges",
    "10.0.0.0/8",
    "seconds",
    "until",
    "note",
    "filter",
    "ids",
    "status",
    "active",
    "origin",
    "pinned",
    "created_after",
    "guidance",
    "summary",
    "key_mistake",
    "correct_action",
    "applicable_tools",
    "role",
    "user",
    "content",
    "action",
    "order",
    "signals",
    "source",
    "ci",
    "key",
    "outcome",
    "score",
    "occurred_at",
    "comment",
    "url",
    "https://example.com/hook",
    "events",
    "include_texts",
];

#[test]
fn a_body_is_read_within_its_limits_or_refused() {
    let target =
        FuzzTarget::new("bodies").words(FIELDS).mutant("json-cost", || Defence::JsonCost.switch_off());
    target.run(body, |input| {
        read::<CreateTrace>(input);
        read::<CreateTraces>(input);
        read::<ReviewTrace>(input);
        read::<ReviewTraces>(input);
        read::<QueryMemories>(input);
        read::<AugmentTask>(input);
        read::<NextReviews>(input);
        read::<DeferTrace>(input);
        read::<CurateMemories>(input);
        read::<WriteMemory>(input);
        read::<EditMemory>(input);
        read::<MergeMemories>(input);
        read::<CreateApiKey>(input);
        read::<CreateErasure>(input);
        read::<ReviewInBulk>(input);
        read::<SendSignals>(input);
        read::<SendFeedback>(input);
        read::<CreateWebhook>(input);
        read::<ChangeWebhook>(input);
    });
}

/// Decodes a body with the smallest limit, and checks what became of it.
fn read<T: DeserializeOwned + Serialize>(input: &[u8]) {
    let warnings = RequestWarnings::default();
    let decoded = parse::<T>(input, BodyLimit::Form, &warnings);
    for header in warnings.headers() {
        assert!(header.len() <= 2_000, "a warning of {} bytes", header.len());
    }
    let body = match decoded {
        Ok(body) => body,
        Err(error) => {
            assert!(error.status.is_client_error(), "{}", error.status);
            assert!(["invalid_request", "invalid_json"].contains(&error.code), "{}", error.code);
            assert!(error.message.chars().count() <= 4_000, "{} bytes", error.message.len());
            return;
        }
    };
    if let Ok(value) = serde_json::from_slice::<Value>(input) {
        assert!(values(&value) <= BodyLimit::Form.values(), "{} values were accepted", values(&value));
    }
    // A number that is too large for its field is infinite, is written as null, and is refused by the engine.
    let printed = round::<T>(&serde_json::to_string(&body).expect("a body can be written"));
    if serde_json::from_str::<Value>(&printed).is_ok_and(|value| can_be_repeated(&value)) {
        assert_eq!(round::<T>(&printed), printed, "written again");
    }
}

fn round<T: DeserializeOwned + Serialize>(printed: &str) -> String {
    let body: T = serde_json::from_str(printed).unwrap_or_else(|error| panic!("{error}: {printed}"));
    serde_json::to_string(&body).expect("a body can be written")
}

fn values(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(values).sum::<usize>(),
        Value::Object(fields) => fields.values().map(values).sum(),
        _ => 0,
    }
}

fn body(source: &mut CaseSource<'_>) -> String {
    let task = source.json_string();
    let reflection = source.object(&[("summary", "\"s\"".to_owned()), ("guidance", "\"g\"".to_owned())]);
    let time = format!("\"{}\"", source.time());
    let review = source.object(&[
        ("result", "\"pass\"".to_owned()),
        ("feedback_text", "\"f\"".to_owned()),
        ("reflection", reflection.clone()),
        ("reviewed_at", time.clone()),
    ]);
    let trajectory = match source.below(4) {
        0 => "[]".to_owned(),
        1 => source.json(3),
        2 => {
            let more = source.below(200);
            format!("[{}{{}}]", "{},".repeat(more))
        }
        _ => source.array(5, |source| {
            let content = source.json_string();
            source.object(&[("role", "\"user\"".to_owned()), ("content", content)])
        }),
    };
    let ids = source.array(4, |source| format!("\"{}\"", source.id()));
    let metadata = source.json(2);
    let id = format!("\"{}\"", source.id());
    let number = source.number();
    match source.below(8) {
        0 => source.json(4),
        1 => source.text(10),
        2 => source.object(&[("task", task), ("limit", number), ("metadata_filter", metadata)]),
        3 => source.object(&[
            ("trace_id", id),
            ("result", "\"fail\"".to_owned()),
            ("alpha", number),
            ("reflection", reflection),
        ]),
        4 => {
            let filter = source.object(&[
                ("ids", ids),
                ("created_after", time),
                ("status", "[\"active\"]".to_owned()),
            ]);
            source.object(&[("action", "\"disable\"".to_owned()), ("filter", filter), ("expect", number)])
        }
        5 => source.object(&[
            ("label", "\"l\"".to_owned()),
            ("scopes", "[\"memory:read\"]".to_owned()),
            ("expires_at", time.clone()),
            ("until", time),
            ("seconds", number),
        ]),
        _ => {
            let trace = source.object(&[
                ("task", task),
                ("trajectory", trajectory),
                ("retrieved_memory_ids", ids),
                ("metadata", metadata),
                ("trace_id", id),
                ("review", review),
            ]);
            if source.once_in(4) { format!("{{\"traces\":[{trace}]}}") } else { trace }
        }
    }
}

#[test]
fn headers_and_paths_are_read_in_one_way() {
    let words = &[
        "10.0.0.1",
        "203.0.113.9",
        "[2001:db8::1]",
        ":443",
        "::ffff:10.1.1.1",
        "unknown",
        ", ",
        "reflect=",
        "; ",
        "__Host-reflect=",
        "/..",
        "/.",
        "%2e",
        "%2E%2e",
        "//",
        "/v1/projects/",
        "%2F",
        "/pre",
        "?",
        "application/json",
        "+json",
        "; charset=utf-8",
        "\\",
    ];
    let generate = |source: &mut CaseSource<'_>| {
        let texts = [source.text(8), source.text(8), format!("/{}", source.text(6)), source.text(3)];
        join(&texts)
    };
    FuzzTarget::new("headers").words(words).run(generate, |input| {
        let Some([forwarded, cookie, target, kind]) = parts::<4>(input) else { return };
        let value = |text: &str| HeaderValue::from_bytes(text.as_bytes()).ok();
        let headers: HeaderMap = [("x-forwarded-for", forwarded), ("cookie", cookie), ("content-type", kind)]
            .into_iter()
            .filter_map(|(name, text)| Some((HeaderName::from_static(name), value(text)?)))
            .collect();

        check_address(&headers);
        for settings in [ServerSettings::default(), below("https://reflect.example", "/pre")] {
            for cookie in [Cookie::Session, Cookie::Form, Cookie::SignIn] {
                let read = cookie.read(&headers, &settings);
                assert!(read.is_none_or(|value| !value.contains(';')), "{read:?}");
            }
            check_path(target, settings);
        }
        let _ = is_json(&headers);
        let keyed: HeaderMap = value(kind)
            .into_iter()
            .map(|value| (HeaderName::from_static("idempotency-key"), value))
            .collect();
        if let Ok(Some(key)) = idempotency_key(&keyed) {
            assert!((1..=255).contains(&key.len()) && key.is_ascii(), "{key:?}");
        }
    });
}

fn below(public_url: &str, base_path: &str) -> ServerSettings {
    ServerSettings {
        public_url: Some(public_url.to_owned()),
        base_path: base_path.to_owned(),
        ..ServerSettings::default()
    }
}

/// The address of a client is that of its connection, unless a trusted proxy reports another.
fn check_address(headers: &HeaderMap) {
    let peer: IpAddr = "203.0.113.9".parse().expect("an address");
    let request = |peer: IpAddr| {
        let mut request = Request::new(Body::empty());
        *request.headers_mut() = headers.clone();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(peer, 1)));
        request
    };
    let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().expect("a range")];
    assert_eq!(ClientAddress::of(&request(peer), &trusted).0, peer);
    let proxy: IpAddr = "10.0.0.1".parse().expect("an address");
    let client = ClientAddress::of(&request(proxy), &trusted).0;
    assert_eq!(client, client.to_canonical());
    if headers.get("x-forwarded-for").is_none() {
        assert_eq!(client, proxy);
    }
}

/// A path that is accepted has no segment that another program would remove.
fn check_path(target: &str, settings: ServerSettings) {
    let Ok(uri) = target.parse::<Uri>() else { return };
    let given = uri.path().to_owned();
    let mut request = Request::new(Body::empty());
    *request.uri_mut() = uri;
    let request = path::normalise(request, &settings);
    if path::is_refused(&request) {
        return;
    }
    let routed = request.uri().path();
    assert!(given.ends_with(routed) || routed == "/", "{given} became {routed}");
    let decoded = routed.replace("%2e", ".").replace("%2E", ".");
    assert!(!decoded.split('/').any(|segment| segment == "." || segment == ".."), "{routed}");
    assert!(!routed.contains("//") && !routed.contains('\\'), "{routed}");
}
