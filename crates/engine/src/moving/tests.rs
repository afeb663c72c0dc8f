//! What packs must and must not be taken for.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_store::FoldedMemory;
use reflect_types::MemoryId;
use serde_json::{Value, json};
use uuid::Uuid;

use super::*;

fn digest_of(lines: &[&str]) -> RowsDigest {
    let mut digest = RowsDigest::default();
    lines.iter().for_each(|line| digest.add(line));
    digest
}

fn manifest() -> Value {
    json!({
        "format": "reflect-pack", "version": 1, "product": "0.1.0", "made_at": "2026-01-01T00:00:00Z",
        "project": { "slug": "p", "created_at": "2025-01-01T00:00:00Z", "settings": {}, "read_space": 3,
                     "write_spaces": [3], "space_thresholds": {}, "pinned": [], "tag_key": "00" },
        "spaces": [{ "space_id": 3, "provider": "p", "model": "m", "revision": "", "dimensions": 4,
                     "key_text": "task", "similarity_threshold": 0.3 }],
        "tables": [{ "name": "trace", "rows": 2, "digest": digest_of(&["a", "b"]).hex(),
                     "oldest": "2025-12-01T00:00:00Z",
                     "parts": [{ "file": "trace/00001.jsonl.zst", "rows": 2, "bytes": 9, "sha256": "" }] }],
        "fold": FoldTally::default().note(), "omitted": [], "keys": []
    })
}

fn read(manifest: &Value) -> Result<Manifest, PackError> {
    Manifest::read(manifest.to_string().as_bytes())
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

#[test]
fn rows_have_one_digest_in_any_order_and_another_when_one_is_missing_changed_or_twice() {
    let rows = digest_of(&["a", "b", "c"]);

    assert_eq!(rows, digest_of(&["c", "a", "b"]));
    for others in [&["a", "b"][..], &["a", "b", "d"], &["a", "b", "c", "c"], &["a", "b", "c", "c", "c"]] {
        assert_ne!(rows, digest_of(others), "{others:?}");
    }
    let mut sum = digest_of(&["a"]);
    sum.add_all(&digest_of(&["b", "c"]));
    assert_eq!(sum, rows);
    assert_eq!(RowsDigest::from_hex(&rows.hex()), Some(rows));
    assert_eq!(RowsDigest::from_hex("00"), None);
    assert_eq!(RowsDigest::from_hex(&"+1".repeat(32)), None);
}

#[test]
fn a_digest_is_the_one_that_other_programs_compute() {
    assert_eq!(file_digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(digest_of(&["abc"]).hex(), file_digest(b"abc"));
}

#[test]
fn a_manifest_that_this_program_cannot_import_is_refused_with_the_reason() {
    let changed = |pointer: &str, to: Value| {
        let mut value = manifest();
        *value.pointer_mut(pointer).expect("a field") = to;
        read(&value).expect_err("refused").to_string()
    };

    assert!(read(&manifest()).is_ok());
    assert!(changed("/format", json!("zip")).contains("its `format` is not"));
    assert!(changed("/version", json!(2)).contains("use a newer version"));
    assert!(changed("/version", json!("1")).contains("no version"));
    assert!(changed("/tables/0/name", json!("dream")).contains("`dream`"));
    assert!(changed("/tables/0/rows", json!(3)).contains("2 rows, not 3"));
    assert!(changed("/project/read_space", json!(4)).contains("space 4"));
    assert!(changed("/tables/0/oldest", json!("-0001-01-01T00:00:00Z")).contains("older than 1970"));
    assert!(changed("/spaces/0/similarity_threshold", json!(1e39)).contains("not a similarity"));
    let part = |rows: u64| json!({ "file": "trace/1", "rows": rows, "bytes": u64::MAX, "sha256": "" });
    assert!(changed("/tables/0/parts", json!([part(u64::MAX), part(3)])).contains("rows, not 2"));
    for file in ["/etc/passwd", "../trace", "trace/../../x", "", "trace//x", "..\\x", "trace/\0"] {
        assert!(changed("/tables/0/parts/0/file", json!(file)).contains("not a file of the pack"), "{file}");
    }
    let twice = manifest()["tables"][0].clone();
    assert!(changed("/tables", json!([twice, twice])).contains("twice"));
}

#[test]
fn rows_that_would_be_dropped_at_once_are_not_imported() {
    let manifest = read(&manifest()).expect("a manifest");
    let kept = |days: u64| vec![("trace".to_owned(), Some(Duration::from_secs(days * 24 * 60 * 60)))];
    let now = at("2026-02-01T00:00:00Z");

    assert_eq!(too_old(&manifest, &kept(70), now), Ok(()));
    assert_eq!(manifest.oldest(&kept(70)), Some(at("2025-12-01T00:00:00Z")));
    assert_eq!(manifest.oldest(&[("retrieval".to_owned(), None)]), None);
    assert_eq!(too_old(&manifest, &[("trace".to_owned(), None)], now), Ok(()));
    let refused = too_old(&manifest, &kept(30), now).expect_err("refused").to_string();
    assert!(refused.contains("2025-12-01") && refused.contains("30 days"), "{refused}");
}

#[test]
fn the_oldest_row_of_a_table_is_known_where_its_key_is_a_time() {
    let id = Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, 1_767_225_600, 0));
    let oldest = |first: Value| TableRows { first: Some(first), ..TableRows::default() }.close("t").oldest;

    assert_eq!(oldest(json!({ "trace_id": id })), Some(at("2026-01-01T00:00:00Z")));
    assert_eq!(oldest(json!({ "memory_id": id, "version": 1 })), None);
    assert_eq!(oldest(json!({ "trace_id": "f81d4fae-7dec-41d0-a765-00a0c91e6bf6" })), None);
    assert_eq!(oldest(json!({ "day": "2026-01-01" })), None);
}

#[test]
fn a_journal_counts_up_to_the_first_line_that_was_not_finished() {
    let start = JournalStart::new("p".parse().expect("a slug"), at("2026-01-01T00:00:00Z"), "0.1.0");
    let part = |table: &str| PartNote {
        table: table.to_owned(),
        file: format!("{table}/00001.jsonl.zst"),
        rows: 1,
        bytes: 1,
        sha256: String::new(),
        digest: String::new(),
        first: json!({ "trace_id": 1 }),
        last: json!({ "trace_id": 1 }),
        versions: "-7".to_owned(),
    };
    let line = |value: Value| format!("{value}\n");
    let text = [line(json!(start)), line(json!(part("trace"))), line(json!(part("review")))].concat();

    let mut whole = Journal::read(&text).expect("a journal");
    assert_eq!(whole.start, start);
    assert_eq!(whole.take("trace"), [part("trace")]);
    assert_eq!(whole.parts, [part("review")]);
    // The last line lacks its end, or more than that.
    for cut in [1, 10] {
        assert_eq!(Journal::read(&text[..text.len() - cut]).expect("a journal").parts, [part("trace")]);
    }
    assert_eq!(Journal::read(""), None);
    assert_eq!(Journal::read(&text[..20]), None);
}

#[test]
fn a_part_is_kept_while_its_rows_are_the_versions_that_were_written() {
    let part = PartNote {
        table: "trace".to_owned(),
        file: String::new(),
        rows: 2,
        bytes: 1,
        sha256: String::new(),
        digest: String::new(),
        first: Value::Null,
        last: Value::Null,
        versions: "-7".to_owned(),
    };

    assert!(part.is_current(2, -7));
    assert!(!part.is_current(3, -7) && !part.is_current(2, 7));
}

#[test]
fn what_differs_is_named() {
    let manifest = read(&manifest()).expect("a manifest");
    let found = |lines: &[&str]| {
        let (rows, digest) = (lines.len() as u64, digest_of(lines));
        vec![TableTally { name: "trace".to_owned(), rows, digest }]
    };
    let problem = |tables: &[TableTally], fold: &FoldTally| {
        let verification = compare(&manifest, tables, fold);
        let problems = verification.problems();
        problems
            .map(|one| format!("{}: {}", one.what, one.problem.clone().unwrap_or_default()))
            .collect::<Vec<_>>()
    };
    let fold = FoldTally::default();

    assert!(compare(&manifest, &found(&["b", "a"]), &fold).is_equal());
    assert_eq!(problem(&found(&["a"]), &fold), ["trace: 1 rows instead of 2"]);
    assert_eq!(problem(&found(&["a", "c"]), &fold), ["trace: its 2 rows have different content"]);
    assert_eq!(problem(&[], &fold), ["trace: was not checked"]);
    let stray = TableTally { name: "skill".to_owned(), rows: 1, digest: digest_of(&["a"]) };
    assert_eq!(problem(&[found(&["a", "b"]), vec![stray]].concat(), &fold), ["skill: 1 rows instead of 0"]);
}

#[test]
fn a_memory_that_does_not_stand_where_its_ledger_ends_is_noticed() {
    let memory = |stored| FoldedMemory {
        memory_id: MemoryId::from_uuid(Uuid::nil()),
        folded: (0.5, 1, 1, 0.5, 0),
        stored,
        checkpoints_hold: true,
    };
    let tally = |stored| {
        let mut tally = FoldTally::default();
        tally.add(&memory(stored));
        tally
    };
    let mut manifest = read(&manifest()).expect("a manifest");
    manifest.tables.clear();
    manifest.fold = tally((0.5, 1, 1, 0.5, 0)).note();

    assert!(compare(&manifest, &[], &tally((0.5, 1, 1, 0.5, 0))).is_equal());
    let drifted = compare(&manifest, &[], &tally((0.6, 1, 1, 0.5, 0)));
    assert_eq!(drifted.problems().map(|one| one.what.as_str()).collect::<Vec<_>>(), ["ledger fold"]);
    assert!(!compare(&manifest, &[], &FoldTally::default()).is_equal());
}
