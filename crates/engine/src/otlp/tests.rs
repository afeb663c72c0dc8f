//! Which ids runs get, which runs are kept, and what becomes of their parts.

use std::time::{Duration, SystemTime};

use reflect_store::{ClosedRun, SpanSender};
use reflect_trajectory::otel::{EvaluationResult, OtelEvent, OtelSpan, RunPart, read_span};
use reflect_types::{KeyId, ProjectId, TraceId, Trust};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::built_run::build;
use super::evaluation::{ReceivedEvaluation, evaluation};
use super::identity::{is_sampled, part_of_event, part_of_span, trace_id};

const PROJECT: ProjectId = ProjectId::new(7);
const HOUR: Duration = Duration::from_secs(3600);

fn nanos(at: SystemTime) -> u64 {
    u64::try_from(at.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos()).unwrap()
}

fn closed(parts: &[RunPart]) -> ClosedRun {
    ClosedRun {
        trace_id: TraceId::generate(),
        sender: SpanSender { key_id: KeyId::generate(), name: "key:test".into(), trust: Trust::Normal },
        parts: parts.iter().map(|part| serde_json::to_string(part).unwrap()).collect(),
        dropped: 0,
    }
}

fn chat(attributes: Value) -> RunPart {
    let Value::Object(attributes) = attributes else { panic!("not an object") };
    let resource = Map::from_iter([("service.name".to_owned(), json!("shop"))]);
    let span = OtelSpan { span_id: "00f067aa0ba902b7".into(), attributes, resource, ..OtelSpan::default() };
    read_span(&span).unwrap()
}

#[test]
fn the_trace_of_a_run_has_its_time_and_follows_from_its_id() {
    let (now, run) = (SystemTime::now(), Uuid::from_u128(5));
    let started = now - HOUR;
    let id = trace_id(PROJECT, run, nanos(started), now);
    assert_eq!(id, trace_id(PROJECT, run, nanos(started), now + HOUR));
    assert!(TraceId::from_client(id.as_uuid(), now).is_ok());
    let age = now.duration_since(id.made_at().unwrap()).unwrap();
    assert!(age >= HOUR && age < HOUR + Duration::from_secs(1), "{age:?}");
    assert_ne!(id, trace_id(ProjectId::new(8), run, nanos(started), now));
    assert_ne!(id, trace_id(PROJECT, Uuid::from_u128(6), nanos(started), now));
}

#[test]
fn a_run_of_another_time_gets_the_time_of_its_arrival() {
    let (now, run) = (SystemTime::now(), Uuid::from_u128(5));
    for start in [0, nanos(now - 24 * 40 * HOUR), nanos(now + HOUR), u64::MAX] {
        let id = trace_id(PROJECT, run, start, now);
        assert!(TraceId::from_client(id.as_uuid(), now).is_ok(), "{start}");
    }
}

#[test]
fn the_sample_has_the_share_that_was_asked_for_and_is_the_same_every_time() {
    let runs: Vec<Uuid> = (0..10_000_u128).map(Uuid::from_u128).collect();
    let kept = |rate: f64| runs.iter().filter(|run| is_sampled(PROJECT, **run, rate)).count();
    assert_eq!((kept(0.0), kept(1.0)), (0, 10_000));
    assert!((2_300..2_700).contains(&kept(0.25)), "{}", kept(0.25));
    let in_quarter = |run: &&Uuid| is_sampled(PROJECT, **run, 0.25);
    assert!(runs.iter().filter(in_quarter).all(|run| is_sampled(PROJECT, *run, 0.5)));
}

#[test]
fn parts_have_the_ids_of_their_spans_and_records_that_of_their_content() {
    assert_eq!(part_of_span("00f067aa0ba902b7"), Some(Uuid::from_u64_pair(0x00f0_67aa_0ba9_02b7, 0)));
    for id in ["", "0000000000000000", "f067aa0ba902b7", "00f067aa0ba902bz", "+0f067aa0ba902b7"] {
        assert_eq!(part_of_span(id), None, "{id}");
    }
    let event = OtelEvent {
        span_id: "00f067aa0ba902b7".into(),
        name: "gen_ai.choice".into(),
        ..OtelEvent::default()
    };
    let other = OtelEvent { body: json!({ "index": 1 }), ..event.clone() };
    assert_eq!(part_of_event(&event), part_of_event(&event.clone()));
    assert_ne!(part_of_event(&event), part_of_event(&other));
}

#[test]
fn a_closed_run_becomes_a_run_with_its_metadata() {
    let part = chat(json!({
        "gen_ai.operation.name": "chat", "gen_ai.response.model": "m", "gen_ai.usage.input_tokens": 3,
        "gen_ai.conversation.id": "c-1", "session.id": "s-1", "user.id": "u-1", "gen_ai.agent.name": "clerk",
        "gen_ai.input.messages": "[{\"role\":\"user\",\"content\":\"Refund order 1182\"}]",
        "gen_ai.output.messages": "[{\"role\":\"assistant\",\"content\":\"Done\"}]" }));
    let (run, mut closed) = (Uuid::from_u128(0xabc), closed(&[part]));
    closed.dropped = 2;
    let built = build(run, &closed).unwrap();
    assert_eq!((built.task.as_str(), built.model.as_deref()), ("Refund order 1182", Some("m")));
    assert_eq!(built.trace_id, Some(closed.trace_id.as_uuid()));
    let expected = json!({
        "source": "opentelemetry", "otel_trace_id": "00000000000000000000000000000abc", "session": "s-1",
        "conversation": "c-1", "agent": "clerk", "service": "shop", "subject": "u-1", "dropped_spans": 2,
        "usage": { "input_tokens": 3, "output_tokens": 0 } });
    assert_eq!(Value::Object(built.metadata), expected);
    let messages: Vec<Value> = serde_json::from_str(built.trajectory.get()).unwrap();
    assert_eq!(messages.len(), 2);
}

#[test]
fn long_texts_are_cut_and_a_run_without_content_is_none() {
    let long = "é".repeat(40 * 1024);
    let part = chat(
        json!({ "gen_ai.operation.name": "chat", "gen_ai.input.messages": [{ "role": "user", "content": long }] }),
    );
    let task = build(Uuid::from_u128(1), &closed(&[part])).unwrap().task;
    assert_eq!(task.len(), 64 * 1024);
    let silent = chat(json!({ "gen_ai.operation.name": "chat" }));
    assert!(build(Uuid::from_u128(1), &closed(&[silent])).is_none());
    let unreadable = ClosedRun { parts: vec!["{".to_owned()], ..closed(&[]) };
    assert!(build(Uuid::from_u128(1), &unreadable).is_none());
}

#[test]
fn an_evaluation_that_arrives_again_has_the_same_key() {
    let result = EvaluationResult {
        name: "relevance".into(),
        score: Some(0.5),
        label: Some("pass".into()),
        explanation: None,
        conversation: None,
        at: 1_700_000_000_000_000_000,
    };
    let received = |result: &EvaluationResult| ReceivedEvaluation {
        run: Some(Uuid::from_u128(1)),
        result: result.clone(),
    };
    let one = evaluation(&received(&result), None);
    assert_eq!(one, evaluation(&received(&result), None));
    assert_eq!(one.otel_trace_id.as_deref(), Some("00000000000000000000000000000001"));
    assert_eq!(one.at.timestamp(), 1_700_000_000);
    let other = evaluation(&received(&EvaluationResult { score: Some(0.4), ..result }), None);
    assert_ne!(one.idempotency_key, other.idempotency_key);
}
