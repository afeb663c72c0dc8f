//! Exports a project: one snapshot, table by table, part by part.

use std::path::Path;
use std::time::SystemTime;

use anyhow::Context;
use reflect_engine::moving::{
    FORMAT, FoldTally, Journal, JournalStart, KeyNote, Manifest, PackPart, PackProject, PackSpace, PartNote,
    RowsDigest, TableRows, VERSION, file_digest,
};
use reflect_store::{AuditActor, KeyRow, MOVED_TABLES, MovedRow, Snapshot, SpaceNumbers, Store};
use reflect_types::{CrashPoint, ProjectSlug};
use serde_json::Value;

use super::encryption::Recipients;
use super::folder::PackFolder;
use super::progress::Progress;

/// A part is one transaction of an import, and the unit that an interrupted export repeats.
const ROWS_A_PART: usize = 2000;
const BYTES_A_PART: usize = 4 * 1024 * 1024;
/// The default of zstd.
const LEVEL: i32 = 3;

/// The result of an export.
#[derive(Debug)]
pub(crate) struct Exported {
    pub(crate) manifest: Manifest,
    /// How many parts of an interrupted export were reused.
    pub(crate) kept: usize,
}

/// A running export.
struct PackWriter<'a> {
    folder: &'a PackFolder,
    snapshot: Snapshot,
    spaces: SpaceNumbers,
    progress: Progress,
}

/// The rows of the next part.
#[derive(Default)]
struct PartBuffer {
    text: String,
    rows: usize,
    digest: RowsDigest,
    versions: i128,
    first: Option<Value>,
    last: Option<Value>,
}

/// Exports a project to a folder, or continues an interrupted export.
pub(crate) async fn export(
    store: &Store,
    slug: &ProjectSlug,
    root: &Path,
    recipients: Recipients,
    actor: &AuditActor,
) -> anyhow::Result<Exported> {
    let number =
        store.catalogue().find_project(slug).await?.with_context(|| format!("there is no project {slug}"))?;
    let project = store.project(number);
    let folder = &PackFolder::create(root, recipients)?;
    let _lock = folder.lock()?;
    let keys = project.keys().list(false, None, i64::MAX).await?;
    project.moving().note_export(slug.as_str(), actor).await?;
    let mut snapshot = project.moving().snapshot().await?;
    let made_at = SystemTime::now().into();
    let mut about = PackProject::try_from(snapshot.project().await?)?;
    if folder.recipients.is_empty() {
        about.tag_key = None;
    }
    let spaces: Vec<PackSpace> = snapshot.spaces().await?.iter().map(PackSpace::from).collect();
    let numbers = spaces.iter().map(|space| (space.space_id, space.space_id)).collect();

    let start = JournalStart {
        recipients: folder.recipients.names(),
        ..JournalStart::new(slug.clone(), about.created_at, env!("CARGO_PKG_VERSION"))
    };
    let mut writer = PackWriter { folder, snapshot, spaces: numbers, progress: Progress::counting() };
    let kept = writer.keep(folder.journal()?, &start).await?;
    folder.begin_journal(&start, &kept)?;
    let mut tables = Vec::new();
    for table in MOVED_TABLES {
        let kept = kept.iter().filter(|note| note.table == *table);
        tables.push(writer.table(table, kept).await?.close(table));
    }
    let fold = writer.fold().await?.note();
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        version: VERSION,
        product: env!("CARGO_PKG_VERSION").to_owned(),
        made_at,
        project: about,
        spaces,
        tables,
        fold,
        omitted: Manifest::omissions(),
        keys: keys.iter().filter(|key| key.revoked_at.is_none() && !key.expired).map(key_note).collect(),
    };
    folder.finish(&manifest)?;
    Ok(Exported { manifest, kept: kept.len() })
}

fn key_note(key: &KeyRow) -> KeyNote {
    KeyNote {
        public_id: key.public_id.clone(),
        label: key.label.clone(),
        scopes: key.scopes.iter().map(|scope| scope.as_str().to_owned()).collect(),
        trust: key.trust.as_str().to_owned(),
    }
}

impl PackWriter<'_> {
    /// The parts of an interrupted export that are on the disk and still match the database: in each table, those before
    /// the first difference.
    async fn keep(
        &mut self,
        journal: Option<Journal>,
        start: &JournalStart,
    ) -> anyhow::Result<Vec<PartNote>> {
        let Some(mut journal) = journal else { return Ok(Vec::new()) };
        anyhow::ensure!(
            journal.start.slug == start.slug && journal.start.created_at == start.created_at,
            "{} contains an interrupted export of project {}; choose another folder",
            self.folder.path(),
            journal.start.slug
        );
        if journal.start != *start {
            return Ok(Vec::new());
        }
        let mut kept = Vec::new();
        for table in MOVED_TABLES {
            self.progress.at(&format!("comparing {table}"));
            let mut after: Option<Value> = None;
            for note in journal.take(table) {
                if !self.folder.holds(&note) {
                    break;
                }
                let (rows, versions) = self.snapshot.versions(table, after.as_ref(), &note.last).await?;
                if !note.is_current(rows, versions) {
                    break;
                }
                after = Some(note.last.clone());
                kept.push(note);
            }
        }
        Ok(kept)
    }

    /// Writes the missing parts of a table.
    async fn table(
        &mut self,
        table: &str,
        kept: impl Iterator<Item = &PartNote>,
    ) -> anyhow::Result<TableRows> {
        self.progress.at(table);
        let mut done = TableRows::default();
        let mut after: Option<Value> = None;
        for note in kept {
            after = Some(note.last.clone());
            add(&mut done, note)?;
            self.progress.add(note.rows);
        }
        let mut buffer = PartBuffer::default();
        loop {
            let page = self.snapshot.rows(table, after.as_ref(), &self.spaces).await?;
            let ended = page.is_empty();
            for row in page {
                after = Some(buffer.push(row));
                if buffer.rows >= ROWS_A_PART || buffer.text.len() >= BYTES_A_PART {
                    self.part(table, std::mem::take(&mut buffer), &mut done)?;
                }
            }
            if ended {
                self.part(table, buffer, &mut done)?;
                return Ok(done);
            }
        }
    }

    fn part(&self, table: &str, buffer: PartBuffer, done: &mut TableRows) -> anyhow::Result<()> {
        let (Some(first), Some(last)) = (buffer.first, buffer.last) else { return Ok(()) };
        let recipients = &self.folder.recipients;
        let bytes = recipients.seal(zstd::bulk::compress(buffer.text.as_bytes(), LEVEL)?)?;
        let note = PartNote {
            table: table.to_owned(),
            file: format!("{table}/{:05}.jsonl.zst{}", done.parts.len() + 1, recipients.suffix()),
            rows: buffer.rows as u64,
            bytes: bytes.len() as u64,
            sha256: file_digest(&bytes),
            digest: buffer.digest.hex(),
            first,
            last,
            versions: buffer.versions.to_string(),
        };
        CrashPoint::ExportPart.before();
        self.folder.write(&note.file, &bytes)?;
        CrashPoint::ExportPart.after();
        CrashPoint::ExportNote.before();
        self.folder.note(&note)?;
        CrashPoint::ExportNote.after();
        self.progress.add(note.rows);
        add(done, &note)
    }

    async fn fold(&mut self) -> anyhow::Result<FoldTally> {
        self.progress.at("folding the ledger");
        let mut tally = FoldTally::default();
        let mut after = None;
        loop {
            let memories = self.snapshot.folded(after).await?;
            let Some(last) = memories.last() else { return Ok(tally) };
            after = Some(last.memory_id);
            memories.iter().for_each(|memory| tally.add(memory));
        }
    }
}

impl PartBuffer {
    /// Adds a row and returns its key.
    fn push(&mut self, row: MovedRow) -> Value {
        self.text.push_str(&row.line);
        self.text.push('\n');
        self.rows += 1;
        self.digest.add(&row.line);
        self.versions += i128::from(row.version);
        self.first.get_or_insert_with(|| row.at.clone());
        self.last = Some(row.at.clone());
        row.at
    }
}

fn add(done: &mut TableRows, note: &PartNote) -> anyhow::Result<()> {
    let digest = RowsDigest::from_hex(&note.digest).context("the journal of the export is damaged")?;
    done.rows += note.rows;
    done.digest.add_all(&digest);
    done.first.get_or_insert_with(|| note.first.clone());
    done.parts.push(PackPart {
        file: note.file.clone(),
        rows: note.rows,
        bytes: note.bytes,
        sha256: note.sha256.clone(),
    });
    Ok(())
}
