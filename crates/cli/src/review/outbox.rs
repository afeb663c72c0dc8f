//! Verdicts that are not sent yet, in a file that outlives the process. Each is written down before it is sent and
//! crossed out after its answer came, so that a kill at any moment loses none; its own key makes a repeat harmless.
//! Sending is not done here.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use reflect_types::{ReviewId, TraceId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::mail::{Entry, Mail};

/// How many reviewers one user may be at the same time, in as many terminals.
const MOST_FILES: usize = 100;

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Wrote(Entry),
    CrossedOut(Uuid),
}

/// The file, held by this process alone, and what lies in it.
#[derive(Debug)]
pub(crate) struct Outbox {
    file: File,
    waiting: Vec<Entry>,
    in_flight: Option<Uuid>,
}

impl Outbox {
    /// Opens an outbox in the folder for this server and project, and takes over what processes that have ended left
    /// there.
    pub(crate) fn open(folder: &Path, base_url: &str, project: &str) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let name = blake3::hash(format!("{}\n{project}", base_url.trim_end_matches('/')).as_bytes()).to_hex();
        let path = |number: usize| folder.join(format!("outbox-{}-{number}.jsonl", &name[..16]));
        let mut own: Option<Self> = None;
        for number in 0..MOST_FILES {
            let path = path(number);
            if own.is_some() && !path.exists() {
                break;
            }
            let Some(file) = held(&path)? else { continue };
            match &mut own {
                None => own = Some(Self::read(file)?),
                Some(own) => own.take_over(Self::read(file)?, &path)?,
            }
        }
        let mut own = own.ok_or_else(|| io::Error::other("too many reviews run at the same time"))?;
        own.compact()?;
        Ok(own)
    }

    fn read(mut file: File) -> io::Result<Self> {
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let mut waiting: Vec<Entry> = Vec::new();
        // The last line may be half of one, when its writer was killed: then nothing was sent either.
        for line in text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()) {
            match line {
                Line::Wrote(entry) => waiting.push(entry),
                Line::CrossedOut(id) => waiting.retain(|entry| entry.id != id),
            }
        }
        Ok(Self { file, waiting, in_flight: None })
    }

    /// What another one left becomes ours, before its file goes away.
    fn take_over(&mut self, other: Self, path: &Path) -> io::Result<()> {
        for entry in other.waiting {
            // Its taker was killed before the file went away.
            if self.waiting.iter().any(|ours| ours.id == entry.id) {
                continue;
            }
            self.append(&Line::Wrote(entry.clone()))?;
            self.waiting.push(entry);
        }
        fs::remove_file(path)
    }

    /// The file without what was crossed out. A kill in the middle leaves the old lines at worst twice, and twice is
    /// harmless.
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

    /// What is not sent yet, the oldest first.
    pub(crate) fn waiting(&self) -> &[Entry] {
        &self.waiting
    }

    /// Writes one down. When this returns, it is safe.
    pub(crate) fn add(&mut self, trace: TraceId, mail: Mail) -> io::Result<()> {
        let entry = Entry { id: Uuid::now_v7(), trace, mail };
        self.append(&Line::Wrote(entry.clone()))?;
        self.waiting.push(entry);
        Ok(())
    }

    /// Takes a verdict back before it was sent; false when that is too late.
    pub(crate) fn recall(&mut self, trace: TraceId) -> io::Result<bool> {
        let found = self.waiting.iter().rfind(|entry| {
            entry.trace == trace
                && matches!(entry.mail, Mail::Review { .. })
                && Some(entry.id) != self.in_flight
        });
        match found.map(|entry| entry.id) {
            Some(id) => self.cross_out(id).map(|()| true),
            None => Ok(false),
        }
    }

    /// The next one to send. It cannot be recalled until its answer is there.
    pub(crate) fn next(&mut self) -> Option<Entry> {
        let next = self.waiting.first().filter(|_| self.in_flight.is_none())?.clone();
        self.in_flight = Some(next.id);
        Some(next)
    }

    /// The answer to the one that was sent: it is done with, or stays.
    pub(crate) fn answered(&mut self, id: Uuid, done: bool) -> io::Result<()> {
        self.in_flight = None;
        if done { self.cross_out(id) } else { Ok(()) }
    }

    /// A verdict of ours was stored as this review: one that takes it back now knows which.
    pub(crate) fn learned_review(&mut self, trace: TraceId, review: ReviewId) -> io::Result<()> {
        let found = self
            .waiting
            .iter()
            .position(|entry| entry.trace == trace && entry.mail == (Mail::Withdraw { review: None }));
        let Some(index) = found else { return Ok(()) };
        let old = self.waiting[index].id;
        let entry = Entry { id: Uuid::now_v7(), trace, mail: Mail::Withdraw { review: Some(review) } };
        self.append(&Line::Wrote(entry.clone()))?;
        self.append(&Line::CrossedOut(old))?;
        self.waiting[index] = entry;
        Ok(())
    }

    fn cross_out(&mut self, id: Uuid) -> io::Result<()> {
        self.append(&Line::CrossedOut(id))?;
        self.waiting.retain(|entry| entry.id != id);
        Ok(())
    }

    fn append(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.file.write_all(&text)?;
        self.file.sync_data()
    }
}

/// The file, if no living process holds it.
fn held(path: &Path) -> io::Result<Option<File>> {
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

    /// A folder that goes away with the test.
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

    fn pass() -> Mail {
        Mail::Review { result: ReviewResult::Pass, feedback: None, replace: false }
    }

    fn open(folder: &Folder) -> Outbox {
        Outbox::open(&folder.path().join("review"), "http://a", "p").unwrap()
    }

    #[test]
    fn what_was_not_answered_is_there_again_with_the_same_key() {
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
    fn a_line_that_was_cut_off_spoils_none_before_and_none_behind_it() {
        let (folder, trace) = (folder(), TraceId::generate());
        let mut outbox = open(&folder);
        outbox.add(trace, pass()).unwrap();
        outbox.file.write_all(b"{\"wrote\":{\"id\":").unwrap();
        drop(outbox);

        let mut again = open(&folder);
        again.add(trace, Mail::Withdraw { review: None }).unwrap();
        drop(again);

        assert_eq!(open(&folder).waiting().len(), 2);
    }

    #[test]
    fn a_verdict_is_recalled_only_while_it_lies_here() {
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
    fn a_second_process_has_a_file_of_its_own_and_what_it_leaves_is_taken_over() {
        let (folder, trace) = (folder(), TraceId::generate());
        let mut first = open(&folder);
        let mut second = open(&folder);
        first.add(trace, pass()).unwrap();
        second.add(trace, Mail::Defer { seconds: 1, note: None }).unwrap();
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
    fn only_its_user_may_read_it() {
        let folder = folder();
        let outbox = open(&folder);

        assert_eq!(outbox.file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_withdrawal_learns_which_review_it_takes_back() {
        let (folder, trace, review) = (folder(), TraceId::generate(), ReviewId::generate());
        let mut outbox = open(&folder);
        outbox.add(trace, Mail::Withdraw { review: None }).unwrap();

        outbox.learned_review(trace, review).unwrap();
        drop(outbox);

        let again = open(&folder);
        assert_eq!(again.waiting().len(), 1);
        assert_eq!(again.waiting()[0].mail, Mail::Withdraw { review: Some(review) });
    }
}
