//! Which ids runs get, which runs are kept, and what becomes of their parts.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reflect_store::{ClosedRun, SpanSender};
use reflect_trajectory::otel::{EvaluationResult, OtelEvent, OtelSpan, RunPart, read_span};
use reflect_types::{KeyId, ProjectId, ReviewResult, TraceId, Trust};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::built_run::build;
use super::evaluation::{MOST_EVALUATIONS, ReceivedEvaluation, limited, signal};
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
        unreadable: 0,
        dropped: 0,
    }
}

fn chat(attributes: Value) -> RunPart {
    let Value::Object(attributes) = attributes else { panic!("not an object") };
    let resource = Arc::new(Map::from_iter([("service.name".to_owned(), json!("shop"))]));
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
    let keys: Vec<(&str, &str)> =
        built.keys.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let otel = "00000000000000000000000000000abc";
    assert_eq!(keys, [("otel_trace_id", otel), ("session", "s-1"), ("conversation", "c-1")]);
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
    assert!(build(Uuid::from_u128(1), &closed(&[silent])).is_err());
    let unreadable = ClosedRun { parts: vec!["{".to_owned()], ..closed(&[]) };
    assert!(build(Uuid::from_u128(1), &unreadable).is_err());
}

#[test]
fn a_run_whose_spans_repeat_messages_without_end_is_refused() {
    let numbers = Value::from(vec![1; 20_000]).to_string();
    let part = chat(json!({ "gen_ai.operation.name": "chat", "gen_ai.input.messages": numbers }));
    let part = serde_json::to_string(&part).unwrap();
    let of =
        |spans| build(Uuid::from_u128(1), &ClosedRun { parts: vec![part.clone(); spans], ..closed(&[]) });
    assert!(of(1).is_ok());
    assert!(of(51).unwrap_err().contains("repeat"));
}

#[test]
fn a_text_that_cannot_be_a_key_is_only_in_the_metadata() {
    let long = "s".repeat(201);
    let part = chat(json!({
        "gen_ai.operation.name": "chat", "session.id": long, "gen_ai.conversation.id": "c\n1",
        "gen_ai.input.messages": "[{\"role\":\"user\",\"content\":\"Refund order 1182\"}]" }));
    let built = build(Uuid::from_u128(1), &closed(&[part])).unwrap();
    assert_eq!(built.keys.len(), 1);
    assert_eq!(built.metadata["session"], long);
}

fn received(score: Option<f64>, label: Option<&str>) -> ReceivedEvaluation {
    let result = EvaluationResult {
        name: "relevance".into(),
        score,
        label: label.map(str::to_owned),
        explanation: Some("Too long".into()),
        conversation: Some("c-1".into()),
        at: 1_700_000_000_000_000_000,
    };
    ReceivedEvaluation { run: Some(Uuid::from_u128(1)), result }
}

#[test]
fn a_label_decides_before_a_score() {
    let of = |score, label| signal(received(score, label), None).map(|sent| (sent.outcome, sent.score));
    assert_eq!(of(None, Some("PASS")), Some((Some(ReviewResult::Pass), None)));
    assert_eq!(of(Some(0.9), Some("incorrect")), Some((Some(ReviewResult::Fail), None)));
    assert_eq!(of(Some(0.9), Some("relevant")), Some((None, Some(0.9))));
    assert_eq!(of(Some(0.0), None), Some((None, Some(0.0))));
    for (score, label) in [(Some(1.1), None), (Some(-1.0), Some("rude")), (None, Some("rude")), (None, None)]
    {
        assert_eq!(of(score, label), None, "{score:?} {label:?}");
    }
}

#[test]
fn results_beyond_those_of_one_request_are_counted_and_not_taken() {
    let sent = |count| limited(vec![received(Some(0.5), None); count]);
    assert_eq!((sent(3).0.len(), sent(3).1), (3, 0));
    let many = sent(MOST_EVALUATIONS + 5);
    assert_eq!((many.0.len(), many.1), (MOST_EVALUATIONS, 5));
}

#[test]
fn a_result_is_about_the_trace_of_its_run_or_about_a_key() {
    let (trace, one) = (TraceId::generate(), || received(Some(0.5), Some("pass")));
    let known = signal(one(), Some(trace)).unwrap();
    assert_eq!((known.trace, known.key), (Some(Some(trace)), None));
    let by_run = signal(one(), None).unwrap();
    let (name, value) = by_run.key.unwrap();
    assert_eq!((name.as_str(), value.as_str()), ("otel_trace_id", "00000000000000000000000000000001"));
    let by_conversation = signal(ReceivedEvaluation { run: None, ..one() }, None).unwrap();
    let (name, value) = by_conversation.key.unwrap();
    assert_eq!((name.as_str(), value.as_str()), ("conversation", "c-1"));
    let mut nowhere = ReceivedEvaluation { run: None, ..one() };
    nowhere.result.conversation = None;
    assert!(signal(nowhere, None).is_none());

    assert_eq!((by_run.source.as_str(), by_run.comment.as_deref()), ("evaluation", Some("Too long")));
    assert_eq!(by_run.occurred_at.unwrap().timestamp(), 1_700_000_000);
    let shown = json!({ "evaluation": "relevance", "label": "pass", "score": 0.5 });
    assert_eq!(Value::Object(by_run.metadata), shown);
}

#[test]
fn a_result_that_arrives_again_has_the_same_key_also_if_its_run_is_known_by_then() {
    let key = |received, trace| signal(received, trace).unwrap().idempotency_key.unwrap();
    let one = || received(Some(0.5), None);
    assert_eq!(key(one(), None), key(one(), Some(TraceId::generate())));
    let mut other = one();
    other.result.explanation = None;
    for other in [other, received(Some(0.4), None), ReceivedEvaluation { run: None, ..one() }] {
        assert_ne!(key(one(), None), key(other, None));
    }
}
