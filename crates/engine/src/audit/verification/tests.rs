//! Every kind of tampering with a chain is found, and an honest chain has no problem.

use reflect_store::{AuditRow, ChainEnd};

use super::*;
use crate::audit::AuditKey;

const CHAIN: ProjectId = ProjectId::new(7);

/// A chain with some entries, the last of `signed` of which has a signature.
struct Given {
    key: AuditKey,
    links: Vec<ChainLink>,
    heads: Vec<SignedHead>,
}

fn time(minutes: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + 60 * minutes, 0).unwrap()
}

fn id(minutes: i64) -> Uuid {
    let seconds = u64::try_from(time(minutes).timestamp()).unwrap();
    Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, seconds, 0))
}

fn entry(minutes: i64) -> AuditRow {
    AuditRow {
        audit_id: id(minutes),
        actor: "key:a".into(),
        action: "key.create".into(),
        target: "b".into(),
        request_id: None,
        address: Some("203.0.113.9".into()),
        detail: None,
        created_at: time(minutes),
    }
}

/// One entry per minute from 0 on.
fn given(entries: i64, signed: &[i64]) -> Given {
    let key = AuditKey::parse(&AuditKey::generate().unwrap()).unwrap();
    let mut links = Vec::new();
    let mut last = START;
    for sequence in 1..=entries {
        let entry = entry(sequence);
        let entry_hash = entry.hash();
        last = link_hash(&last, sequence, entry.audit_id.as_bytes(), &entry_hash);
        let audit_id = entry.audit_id;
        links.push(ChainLink { sequence, audit_id, entry_hash, hash: last, entry: Some(entry) });
    }
    let heads = signed.iter().map(|sequence| head(&key, &links, *sequence)).collect();
    Given { key, links, heads }
}

fn head(key: &AuditKey, links: &[ChainLink], sequence: i64) -> SignedHead {
    let hash = links.iter().find(|link| link.sequence == sequence).unwrap().hash;
    let end = ChainEnd { chain: CHAIN, sequence, hash };
    let signed_at = time(sequence + 1);
    let signature = key.sign(&SignedHead::message(&end, signed_at));
    SignedHead { end, signed_at, key_id: key.public().id(), signature }
}

impl Given {
    fn report_at(&self, now: i64, expiry: i64) -> ChainReport {
        let times = Times { now: time(now), expiry: time(expiry) };
        let keys = [*self.key.public()];
        let mut verifier = ChainVerifier::new(CHAIN, self.heads.clone(), &keys, times);
        self.links.iter().for_each(|link| verifier.link(link));
        verifier.finish(true, 0, &[])
    }

    fn problems(&self) -> Vec<ChainProblem> {
        self.report_at(20, -1000).problems
    }

    /// What an owner of the database can do: compute all hashes again.
    fn rewrite(&mut self) {
        let mut last = START;
        for link in &mut self.links {
            link.entry_hash = link.entry.as_ref().unwrap().hash();
            last = link_hash(&last, link.sequence, link.audit_id.as_bytes(), &link.entry_hash);
            link.hash = last;
        }
    }
}

#[test]
fn an_honest_chain_has_no_problem_and_says_up_to_where_it_is_signed() {
    let report = given(10, &[4, 8]).report_at(20, -1000);
    assert_eq!(report.problems, []);
    assert_eq!((report.links, report.unsigned, report.back_dated), (10, 2, 0));
    assert_eq!(report.signed, Some(SignedThrough { sequence: 8, at: time(9) }));
}

#[test]
fn a_changed_entry_is_found_also_if_the_chain_is_computed_again() {
    let mut given = given(10, &[8]);
    given.links[2].entry.as_mut().unwrap().actor = "key:other".into();
    let changed = ChainProblem::Changed { sequence: 3, entry: given.links[2].audit_id };
    assert_eq!(given.problems(), [changed]);
    given.rewrite();
    assert_eq!(given.problems(), [ChainProblem::Rewritten { sequence: 8 }]);
}

#[test]
fn a_removed_entry_is_found() {
    let mut one = given(10, &[8]);
    one.links[2].entry = None;
    let removed = ChainProblem::Removed { sequence: 3, entry: one.links[2].audit_id };
    assert_eq!(one.problems(), [removed]);

    let mut with_its_link = given(10, &[8]);
    with_its_link.links.remove(2);
    assert_eq!(with_its_link.problems(), [ChainProblem::Gap { from: 3, to: 3 }]);
}

#[test]
fn removed_newest_entries_are_found_by_a_signature() {
    let mut given = given(10, &[4, 8]);
    given.links.truncate(6);
    assert_eq!(given.problems(), [ChainProblem::Truncated { last: 6, signed: 8 }]);
    given.links.clear();
    assert_eq!(given.problems(), [ChainProblem::Truncated { last: 0, signed: 8 }]);
}

#[test]
fn entries_in_another_order_are_found() {
    let mut given = given(10, &[8]);
    given.links.swap(2, 3);
    (given.links[2].sequence, given.links[3].sequence) = (3, 4);
    let problems = given.problems();
    assert!(problems.contains(&ChainProblem::Broken { sequence: 3 }), "{problems:?}");
    given.rewrite();
    assert_eq!(given.problems(), [ChainProblem::Rewritten { sequence: 8 }]);
}

#[test]
fn removed_oldest_entries_are_found_unless_they_have_expired() {
    let mut given = given(10, &[4, 8]);
    given.links.drain(..4);
    assert_eq!(given.problems(), [ChainProblem::Gap { from: 1, to: 4 }]);
    assert_eq!(given.report_at(20, 5).problems, []);
    // Everything has expired, and the last signature stays.
    given.links.clear();
    assert_eq!(given.report_at(20, 15).problems, []);
}

#[test]
fn an_expired_entry_may_be_gone_while_its_link_is_there() {
    let mut given = given(10, &[8]);
    given.links[0].entry = None;
    assert_eq!(given.report_at(20, 2).problems, []);
}

#[test]
fn signatures_of_others_do_not_count() {
    let mut forged = given(10, &[8]);
    forged.heads[0].signature[0] ^= 1;
    assert_eq!(forged.problems(), [ChainProblem::Forged { sequence: 8 }]);

    let mut moved = given(10, &[8]);
    moved.heads[0].end.chain = ProjectId::new(8);
    assert_eq!(moved.problems(), [ChainProblem::Forged { sequence: 8 }]);

    let mut unknown = given(10, &[8]);
    let other = AuditKey::parse(&AuditKey::generate().unwrap()).unwrap();
    unknown.heads = vec![head(&other, &unknown.links, 8)];
    let key_id = other.public().id();
    assert_eq!(unknown.problems(), [ChainProblem::UnknownKey { sequence: 8, key_id }]);
}

#[test]
fn missing_signatures_are_found_after_an_hour() {
    let given = given(10, &[4]);
    assert_eq!(given.report_at(60, -1000).problems, []);
    assert_eq!(given.report_at(80, -1000).problems, [ChainProblem::Unsigned { from: 5 }]);
}

#[test]
fn entries_with_an_earlier_time_than_the_signature_before_them_are_counted() {
    let mut given = given(4, &[]);
    let old = entry(-600);
    let entry_hash = old.hash();
    let hash = link_hash(&given.links[3].hash, 5, old.audit_id.as_bytes(), &entry_hash);
    given.heads = vec![head(&given.key, &given.links, 4)];
    let audit_id = old.audit_id;
    given.links.push(ChainLink { sequence: 5, audit_id, entry_hash, hash, entry: Some(old) });
    assert_eq!(given.report_at(5, -1000).back_dated, 1);
}

#[test]
fn entries_outside_of_the_chain_are_reported() {
    let times = Times { now: time(0), expiry: time(-1000) };
    let stray = id(0);
    let report = ChainVerifier::new(CHAIN, vec![], &[], times).finish(false, 2, &[stray]);
    assert_eq!(report.problems, [ChainProblem::Unlinked { entries: 1, first: stray }]);
    assert_eq!(report.waiting, 2);
}
