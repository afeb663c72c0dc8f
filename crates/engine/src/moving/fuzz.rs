//! Fuzz targets: the manifest and the journal of a pack.

use std::path::{Component, Path};
use std::time::Duration;

use chrono::DateTime;
use reflect_fuzz::{CaseSource, FuzzTarget, can_be_repeated};
use reflect_types::Defence;

use super::{FoldTally, Journal, Manifest, RowsDigest, compare, too_old};

const WORDS: &[&str] = &[
    "format",
    "reflect-pack",
    "version",
    "product",
    "made_at",
    "project",
    "slug",
    "settings",
    "read_space",
    "write_spaces",
    "space_thresholds",
    "pinned",
    "tag_key",
    "spaces",
    "space_id",
    "provider",
    "dimensions",
    "key_text",
    "task",
    "reflection",
    "similarity_threshold",
    "tables",
    "trace",
    "trace_body",
    "review",
    "memory",
    "name",
    "rows",
    "digest",
    "oldest",
    "parts",
    "file",
    "bytes",
    "sha256",
    "fold",
    "memories",
    "drifted",
    "omitted",
    "keys",
    "..",
    "/etc/passwd",
    "trace/../..",
    "trace/00001.jsonl.zst",
    "C:\\x",
    "\\u0000",
    ".",
    "//",
];

#[test]
fn a_manifest_is_consistent_and_names_only_files_of_its_pack() {
    let target =
        FuzzTarget::new("manifest").words(WORDS).mutant("pack-path", || Defence::PackPath.switch_off());
    target.run(manifest, |input| {
        let read = match Manifest::read(input) {
            Ok(read) => read,
            Err(error) => return assert!(error.to_string().len() <= 1_000 + 4 * input.len(), "{error}"),
        };
        for (_, part) in read.parts() {
            let inside = |part: Component<'_>| matches!(part, Component::Normal(_));
            assert!(Path::new(&part.file).components().all(inside), "{}", part.file);
            assert!(!part.file.is_empty() && !part.file.contains(['\0', '\\']), "{:?}", part.file);
        }
        // No sum is too large.
        let _ = (read.rows(), read.bytes());
        let now = DateTime::from_timestamp(1_800_000_000, 0).expect("a time");
        let _ = too_old(&read, &[("trace".to_owned(), Some(Duration::from_secs(86_400)))], now);
        assert!(
            read.oldest(&[("trace".to_owned(), None)]).is_none_or(|oldest| oldest >= DateTime::UNIX_EPOCH)
        );
        let _ = compare(&read, &[], &FoldTally::default());
        let _ = (read.project_in(&[]), read.spaces.iter().filter(|space| space.name().is_ok()).count());
        let printed = serde_json::to_vec(&read).expect("a manifest can be written");
        if can_be_repeated(&read.project.settings) {
            assert_eq!(Manifest::read(&printed), Ok(read), "read again");
        }
    });
}

#[test]
fn a_journal_that_was_cut_keeps_its_whole_lines() {
    FuzzTarget::new("journal").words(WORDS).run(journal, |input| {
        let Ok(text) = str::from_utf8(input) else { return };
        let Some(read) = Journal::read(text) else { return };

        assert!(read.parts.len() < text.lines().count());
        let mut lines = vec![serde_json::to_string(&read.start).expect("a line")];
        lines.extend(read.parts.iter().map(|part| serde_json::to_string(part).expect("a line")));
        let printed = lines.join("\n") + "\n";
        if read.parts.iter().all(|part| can_be_repeated(&part.first) && can_be_repeated(&part.last)) {
            assert_eq!(Journal::read(&printed).as_ref(), Some(&read), "read again");
        }
        // What a process that died has not finished is not there.
        let cut = Journal::read(&printed[..printed.len() - 1]).map(|cut| cut.parts.len());
        let whole = if read.parts.is_empty() { None } else { Some(read.parts.len() - 1) };
        assert_eq!(cut, whole);
        for part in &read.parts {
            let digest = RowsDigest::from_hex(&part.digest);
            assert!(
                digest.is_none_or(|digest| digest.hex() == part.digest.to_lowercase()),
                "{}",
                part.digest
            );
        }
    });
}

fn manifest(source: &mut CaseSource<'_>) -> String {
    let text = |source: &mut CaseSource<'_>| source.json_string();
    let number = |source: &mut CaseSource<'_>| {
        if source.once_in(3) { source.number() } else { source.below(5).to_string() }
    };
    let time = format!("\"{}\"", source.time());
    let table = |source: &mut CaseSource<'_>| {
        let rows = number(source);
        let part = format!(
            "{{\"file\":{},\"rows\":{rows},\"bytes\":{},\"sha256\":\"\"}}",
            if source.once_in(3) { source.json_string() } else { "\"trace/00001.jsonl.zst\"".to_owned() },
            number(source),
        );
        let name = source.pick_text(&["trace", "review", "memory", "trace_body", "odd"]);
        let parts = source.array(3, |_| part.clone());
        let (rows, oldest) =
            (if source.once_in(2) { rows } else { number(source) }, format!("\"{}\"", source.time()));
        source.object(&[
            ("name", format!("\"{name}\"")),
            ("rows", rows),
            ("digest", format!("\"{}\"", "0f".repeat(32))),
            ("oldest", oldest),
            ("parts", parts),
        ])
    };
    let tables = source.array(4, table);
    let (space, threshold, dimensions) = (number(source), source.number(), number(source));
    let spaces = format!(
        "[{{\"space_id\":{space},\"provider\":\"p\",\"model\":\"m\",\"revision\":\"\",\"dimensions\":{dimensions},\
         \"key_text\":\"task\",\"similarity_threshold\":{threshold}}}]"
    );
    let (settings, tag) = (source.json(2), text(source));
    let project = source.object(&[
        ("slug", "\"p\"".to_owned()),
        ("created_at", "\"2025-01-01T00:00:00Z\"".to_owned()),
        ("settings", settings),
        ("read_space", space.clone()),
        ("write_spaces", format!("[{space}]")),
        ("space_thresholds", format!("{{\"{space}\":0.5}}")),
        ("pinned", "[]".to_owned()),
        ("tag_key", tag),
    ]);
    let memories = number(source);
    source.object(&[
        ("format", "\"reflect-pack\"".to_owned()),
        ("version", "1".to_owned()),
        ("product", "\"0.1.0\"".to_owned()),
        ("made_at", time),
        ("project", project),
        ("spaces", spaces),
        ("tables", tables),
        ("fold", format!("{{\"memories\":{memories},\"digest\":\"\",\"drifted\":0}}")),
        ("omitted", "[]".to_owned()),
        ("keys", "[]".to_owned()),
    ])
}

fn journal(source: &mut CaseSource<'_>) -> String {
    let time = source.time();
    let start = source.object(&[
        ("version", "1".to_owned()),
        ("product", "\"0.1.0\"".to_owned()),
        ("slug", "\"p\"".to_owned()),
        ("created_at", format!("\"{time}\"")),
        ("recipients", "[]".to_owned()),
    ]);
    let mut lines = vec![start];
    for _ in 0..source.size(5) {
        let (rows, first, digest) =
            (source.number(), source.json(1), source.pick_text(&["0f", "+f", "0F", ""]).repeat(32));
        lines.push(source.object(&[
            ("table", "\"trace\"".to_owned()),
            ("file", "\"trace/1\"".to_owned()),
            ("rows", rows),
            ("bytes", "1".to_owned()),
            ("sha256", "\"\"".to_owned()),
            ("digest", format!("\"{digest}\"")),
            ("first", first.clone()),
            ("last", first),
            ("versions", "\"1\"".to_owned()),
        ]));
    }
    let mut text = lines.join("\n");
    text.push_str(source.pick_text(&["\n", "\n", "", "\r\n", "\n{\"table\""]));
    text
}
