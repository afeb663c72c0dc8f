//! Submissions that the server has not confirmed, in a file that outlives the process. An entry is written before it is
//! sent and removed after its response, so a kill at any time loses none. Its idempotency key makes a repeat harmless.
//! Sending is not done here.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use reflect_types::{ReviewId, TraceId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::submission::{OutboxEntry, Submission};

/// The most review sessions that one user can run at the same time.
const MAX_FILES: usize = 100;

/// A line of the file. The names are those that earlier versions wrote.
#[derive(Debug, Serialize, Deserialize)]
enum Record {
    #[serde(rename = "wrote")]
    Added(OutboxEntry),
    #[serde(rename = "crossed_out")]
    Removed(Uuid),
}

/// The file, locked by this process, and its entries.
#[derive(Debug)]
pub(crate) struct Outbox {
    file: File,
    waiting: Vec<OutboxEntry>,
    in_flight: Option<Uuid>,
}

impl Outbox {
    /// Opens an outbox in the folder for this server and project, and adopts the entries of processes that have ended.
    pub(crate) fn open(folder: &Path, base_url: &str, project: &str) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let name = blake3::hash(format!("{}\n{project}", base_url.trim_end_matches('/')).as_bytes()).to_hex();
        let path = |number: usize| folder.join(format!("outbox-{}-{number}.jsonl", &name[..16]));
        let mut own: Option<Self> = None;
        for number in 0..MAX_FILES {
            let path = path(number);
            if own.is_some() && !path.exists() {
                break;
            }
            let Some(file) = try_lock(&path)? else { continue };
            match &mut own {
                None => own = Some(Self::read(file)?),
                Some(own) => own.adopt(Self::read(file)?, &path)?,
            }
        }
        let mut own = own.ok_or_else(|| {
            io::Error::other(format!("{MAX_FILES} review sessions run already; close some of them"))
        })?;
        own.compact()?;
        Ok(own)
    }

    fn read(mut file: File) -> io::Result<Self> {
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let mut waiting: Vec<OutboxEntry> = Vec::new();
        // The last line is incomplete if its writer was killed; then its entry was not sent either.
        for record in text.lines().filter_map(|line| serde_json::from_str::<Record>(line).ok()) {
            match record {
                Record::Added(entry) => waiting.push(entry),
                Record::Removed(id) => waiting.retain(|entry| entry.id != id),
            }
        }
        Ok(Self { file, waiting, in_flight: None })
    }

    /// Takes the entries of another outbox, then removes its file.
    fn adopt(&mut self, other: Self, path: &Path) -> io::Result<()> {
        for entry in other.waiting {
            // An earlier process adopted it and was killed before it removed the file.
            if self.waiting.iter().any(|ours| ours.id == entry.id) {
                continue;
            }
            self.append(&Record::Added(entry.clone()))?;
            self.waiting.push(entry);
        }
        fs::remove_file(path)
    }

    /// Empties the file if nothing waits.
    fn compact(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            self.file.set_len(0)?;
            self.file.seek(SeekFrom::Start(0))?;
        } else {
            self.file.seek(SeekFrom::End(0))?;
            // Ends a line that was cut off.
            self.file.write_all(b"\n")?;
        }
        self.file.sync_data()
    }

    /// The entries that are not confirmed, oldest first.
    pub(crate) fn waiting(&self) -> &[OutboxEntry] {
        &self.waiting
    }

    /// Adds an entry. It is on disk when this returns.
    pub(crate) fn add(&mut self, trace: TraceId, submission: Submission) -> io::Result<()> {
        let entry = OutboxEntry { id: Uuid::now_v7(), trace, submission };
        self.append(&Record::Added(entry.clone()))?;
        self.waiting.push(entry);
        Ok(())
    }

    /// Removes the verdict on a run that is not sent yet. Returns false if it is too late.
    pub(crate) fn recall(&mut self, trace: TraceId) -> io::Result<bool> {
        let found = self.waiting.iter().rfind(|entry| {
            entry.trace == trace
                && matches!(entry.submission, Submission::Review { .. })
                && Some(entry.id) != self.in_flight
        });
        match found.map(|entry| entry.id) {
            Some(id) => self.remove(id).map(|()| true),
            None => Ok(false),
        }
    }

    /// The next entry to send. It cannot be recalled until its response arrives.
    pub(crate) fn next(&mut self) -> Option<OutboxEntry> {
        let next = self.waiting.first().filter(|_| self.in_flight.is_none())?.clone();
        self.in_flight = Some(next.id);
        Some(next)
    }

    /// The response to the entry in flight: it is removed if `done`, else it is sent again later.
    pub(crate) fn answered(&mut self, id: Uuid, done: bool) -> io::Result<()> {
        self.in_flight = None;
        if done { self.remove(id) } else { Ok(()) }
    }

    /// Fills in the review id of a waiting withdrawal, once the server has stored the review.
    pub(crate) fn set_withdrawn_review(&mut self, trace: TraceId, review: ReviewId) -> io::Result<()> {
        let found = self.waiting.iter().position(|entry| {
            entry.trace == trace && entry.submission == (Submission::Withdraw { review: None })
        });
        let Some(index) = found else { return Ok(()) };
        let old = self.waiting[index].id;
        let submission = Submission::Withdraw { review: Some(review) };
        let entry = OutboxEntry { id: Uuid::now_v7(), trace, submission };
        self.append(&Record::Added(entry.clone()))?;
        self.append(&Record::Removed(old))?;
        self.waiting[index] = entry;
        Ok(())
    }

    fn remove(&mut self, id: Uuid) -> io::Result<()> {
        self.append(&Record::Removed(id))?;
        self.waiting.retain(|entry| entry.id != id);
        Ok(())
    }

    fn append(&mut self, record: &Record) -> io::Result<()> {
        let mut text = serde_json::to_vec(record)?;
        text.push(b'\n');
        self.file.write_all(&text)?;
        self.file.sync_data()
    }
}

/// The file, unless a running process has locked it.
fn try_lock(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use reflect_types::ReviewResult;

    use super::*;

    /// A folder that is removed after the test.
    struct Folder(PathBuf);

    impl Folder {
        fn path(&self) -> &Path {
            &self.0
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn folder() -> Folder {
        Folder(std::env::temp_dir().join(format!("reflect-outbox-{}", Uuid::now_v7())))
    }

    fn pass() -> Submission {
        Submission::Review { result: ReviewResult::Pass, feedback: None, replace: false }
    }

    fn open(folder: &Folder) -> Outbox {
        Outbox::open(&folder.path().join("review"), "http://a", "p").unwrap()
    }

    #[test]
    fn an_unanswered_entry_is_read_again_with_the_same_key() {
        let (folder, one, two) = (folder(), TraceId::generate(), TraceId::generate());
        let mut outbox = open(&folder);
        outbox.add(one, pass()).unwrap();
        outbox.add(two, pass()).unwrap();
        let first = outbox.next().unwrap();
        outbox.answered(first.id, true).unwrap();
        let second = outbox.next().unwrap();
        drop(outbox);

        let again = open(&folder);

        assert_eq!(again.waiting(), [second]);
    }

    #[test]
    fn an_incomplete_line_damages_no_other_line() {
        let (folder, trace) = (folder(), TraceId::generate());
        let mut outbox = open(&folder);
        outbox.add(trace, pass()).unwrap();
        outbox.file.write_all(b"{\"wrote\":{\"id\":").unwrap();
        drop(outbox);

        let mut again = open(&folder);
        again.add(trace, Submission::Withdraw { review: None }).unwrap();
        drop(again);

        assert_eq!(open(&folder).waiting().len(), 2);
    }

    #[test]
    fn a_verdict_is_recalled_only_before_it_is_sent() {
        let (folder, trace) = (folder(), TraceId::generate());
        let mut outbox = open(&folder);
        outbox.add(trace, pass()).unwrap();
        assert!(outbox.recall(trace).unwrap());
        outbox.add(trace, pass()).unwrap();
        outbox.next().unwrap();

        assert!(!outbox.recall(trace).unwrap());
        assert!(outbox.next().is_none());
        assert_eq!(outbox.waiting().len(), 1);
    }

    #[test]
    fn a_second_process_has_its_own_file_and_its_entries_are_adopted() {
        let (folder, trace) = (folder(), TraceId::generate());
        let mut first = open(&folder);
        let mut second = open(&folder);
        first.add(trace, pass()).unwrap();
        second.add(trace, Submission::Defer { seconds: 1, note: None }).unwrap();
        drop(first);
        drop(second);

        let again = open(&folder);

        assert_eq!(again.waiting().len(), 2);
        let files = fs::read_dir(folder.path().join("review")).unwrap().count();
        assert_eq!(files, 1);
        let other = Outbox::open(&folder.path().join("review"), "http://a", "q").unwrap();
        assert_eq!(other.waiting(), []);
    }

    #[test]
    fn files_of_earlier_versions_are_read() {
        let (folder, trace, id) = (folder(), TraceId::generate(), Uuid::now_v7());
        drop(open(&folder));
        let file = fs::read_dir(folder.path().join("review")).unwrap().next().unwrap().unwrap().path();
        let line = format!(
            r#"{{"wrote":{{"id":"{id}","trace":"{trace}","mail":{{"kind":"defer","seconds":1,"note":null}}}}}}"#
        );
        fs::write(file, format!("{line}\n")).unwrap();

        assert_eq!(open(&folder).waiting()[0].submission, Submission::Defer { seconds: 1, note: None });
    }

    #[test]
    fn only_its_owner_can_read_it() {
        let folder = folder();
        let outbox = open(&folder);

        assert_eq!(outbox.file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_withdrawal_gets_the_id_of_the_stored_review() {
        let (folder, trace, review) = (folder(), TraceId::generate(), ReviewId::generate());
        let mut outbox = open(&folder);
        outbox.add(trace, Submission::Withdraw { review: None }).unwrap();

        outbox.set_withdrawn_review(trace, review).unwrap();
        drop(outbox);

        let again = open(&folder);
        assert_eq!(again.waiting().len(), 1);
        assert_eq!(again.waiting()[0].submission, Submission::Withdraw { review: Some(review) });
    }
}
