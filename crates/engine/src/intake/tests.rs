//! What is decided about a run before it is stored.

use chrono::TimeDelta;
use reflect_types::{KeyId, ProjectId, Scope, Trust};
use serde_json::json;
use uuid::{NoContext, Timestamp};

use super::*;

fn visitor() -> Visitor {
    Visitor {
        project: ProjectId::new(1),
        slug: "p".parse().unwrap(),
        key_id: KeyId::generate(),
        name: "key:abcdefgh".into(),
        scopes: Scope::ALL.to_vec(),
        is_master: false,
        trust: Trust::Normal,
        limits: crate::caller::KeyLimits::default(),
    }
}

fn run() -> SubmittedRun {
    SubmittedRun {
        retrieved: vec!["mem-a".into()],
        ..SubmittedRun::new("parse the file".into(), raw(json!([{ "role": "assistant", "content": "done" }])))
    }
}

fn raw(value: Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(&value).unwrap()
}

fn prepared(run: SubmittedRun) -> Result<NewTraceRow, EngineError> {
    check_sizes(&run)?;
    prepare(&visitor(), run, SystemTime::now()).map(|prepared| prepared.trace)
}

fn refused_field(run: SubmittedRun) -> &'static str {
    match prepared(run) {
        Err(EngineError::Invalid { field, .. }) => field,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

fn passed() -> SubmittedReview {
    SubmittedReview {
        result: ReviewResult::Pass,
        feedback: None,
        alpha: None,
        authored: None,
        reviewed_at: None,
    }
}

#[test]
fn work_waits_only_for_a_reviewed_run() {
    assert_eq!(prepared(run()).unwrap().ingest, IngestStatus::Completed);
    let reviewed = prepared(SubmittedRun { review: Some(passed()), ..run() }).unwrap();
    assert_eq!(reviewed.ingest, IngestStatus::Queued);
    assert_eq!(reviewed.review.unwrap().step(), Alpha::DEFAULT);
}

#[test]
fn the_final_response_is_found_unless_it_was_given() {
    assert_eq!(prepared(run()).unwrap().final_response.as_deref(), Some("done"));
    let given = prepared(SubmittedRun { final_response: Some(String::new()), ..run() }).unwrap();
    assert_eq!(given.final_response.as_deref(), Some(""));
}

#[test]
fn what_cannot_be_taken_is_named() {
    assert_eq!(refused_field(SubmittedRun { task: "  ".into(), ..run() }), "task");
    assert_eq!(refused_field(SubmittedRun { task: "x".repeat(70_000), ..run() }), "task");
    assert_eq!(refused_field(SubmittedRun { trajectory: raw(json!(7)), ..run() }), "trajectory");
    assert_eq!(refused_field(SubmittedRun { trace_id: Some(Uuid::nil()), ..run() }), "trace_id");
    assert_eq!(
        refused_field(SubmittedRun { retrieved: vec![String::new(); 1001], ..run() }),
        "retrieved_memory_ids"
    );
    let keys = vec![("commit".parse().unwrap(), String::new())];
    assert_eq!(refused_field(SubmittedRun { keys, ..run() }), "keys");
    let keys = (0..9).map(|number| (format!("k{number}").parse().unwrap(), "v".to_owned())).collect();
    assert_eq!(refused_field(SubmittedRun { keys, ..run() }), "keys");
    let metadata = Map::from_iter([("k".to_owned(), json!("x".repeat(300_000)))]);
    assert_eq!(refused_field(SubmittedRun { metadata, ..run() }), "metadata");
}

/// What a review of a run of an hour ago is refused for, if it was made this many minutes before now.
fn refused_time(minutes: i64, trust: Trust) -> Option<&'static str> {
    let now: DateTime<Utc> = SystemTime::now().into();
    let hour_ago = (now - TimeDelta::hours(1)).timestamp();
    let ran_at = Timestamp::from_unix(NoContext, u64::try_from(hour_ago).unwrap(), 0);
    let review = SubmittedReview { reviewed_at: Some(now - TimeDelta::minutes(minutes)), ..passed() };
    let sent = SubmittedRun { trace_id: Some(Uuid::new_v7(ran_at)), review: Some(review), ..run() };
    match prepare(&Visitor { trust, ..visitor() }, sent, now.into()) {
        Ok(_) => None,
        Err(EngineError::Invalid { field, .. }) => Some(field),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn a_review_was_made_after_its_run_and_before_now() {
    let refused = Some("review.reviewed_at");
    assert_eq!(refused_time(30, Trust::Normal), None);
    assert_eq!(refused_time(62, Trust::Normal), refused);
    assert_eq!(refused_time(-1, Trust::Normal), refused);
    assert_eq!(refused_time(30, Trust::Untrusted), refused, "charts of earlier days stay");
}

#[test]
fn a_nul_is_replaced_wherever_text_is_stored() {
    let metadata = Map::from_iter([("a\0b".to_owned(), json!(["c\0d"]))]);
    let trace = prepared(SubmittedRun { task: "e\0f".into(), metadata, ..run() }).unwrap();
    assert_eq!(trace.task, "e\u{fffd}f");
    assert_eq!(trace.metadata, json!({ "a\u{fffd}b": ["c\u{fffd}d"] }));
}

#[test]
fn the_same_run_has_the_same_digest_and_any_change_shows() {
    let digest = |run: SubmittedRun| prepared(run).unwrap().content_digest;
    let base = digest(run());
    assert_eq!(base, digest(run()));
    let changed = [
        SubmittedRun { task: "parse the fil".into(), ..run() },
        SubmittedRun { model: Some("e".into()), ..run() },
        SubmittedRun { final_response: Some("done".into()), ..run() },
        SubmittedRun { retrieved: vec![], ..run() },
        SubmittedRun { metadata: Map::from_iter([("k".to_owned(), json!(1))]), ..run() },
        SubmittedRun { trajectory: raw(json!([])), ..run() },
        SubmittedRun { keys: vec![("commit".parse().unwrap(), "0a1b".into())], ..run() },
        SubmittedRun { review: Some(passed()), ..run() },
    ];
    for run in changed {
        assert_ne!(base, digest(run));
    }
    let reviewed =
        |reviewed_at| SubmittedRun { review: Some(SubmittedReview { reviewed_at, ..passed() }), ..run() };
    let digest = |reviewed_at| content_digest(&reviewed(reviewed_at), &[7; 32]);
    assert_ne!(digest(None), digest(Some(DateTime::UNIX_EPOCH)));
}

/// After an upgrade, a client may repeat a request of the earlier release. With another digest it would be refused as
/// another trace with the same id. So a new field adds to the digest only if it is present.
#[test]
fn the_digest_of_a_run_is_the_same_in_every_release() {
    let digest = blake3::Hash::from(content_digest(&run(), &[7; 32]));

    assert_eq!(digest.to_hex().as_str(), "6aea406c75db5e7e17785af3d78cb13baccccd07c0535ce2a93acf9c8039c8cd");
}
