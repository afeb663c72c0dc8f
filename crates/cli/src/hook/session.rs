//! The state of one session of a coding agent.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use reflect_types::{MemoryId, RetrievalId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::CodingAgent;
use super::event::HookEvent;
use super::options::Recording;
use super::whole_files::{read_json, write_json};
use crate::private_file;
use crate::spool::Destination;

const STOPPED: &str = "stopped-";
const PROGRESS: &str = "progress.json";
const BEGUN: &str = "begun.json";
const LOCK: &str = "lock";
const PROMPT: &str = "prompt-";

/// The folder with the state of a session.
#[derive(Debug, Clone)]
pub(super) struct SessionFolder {
    path: PathBuf,
}

/// A prompt that was answered with lessons, or with none, and whose run is not recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PendingPrompt {
    /// The id of the prompt, if the agent passes it.
    turn: Option<String>,
    /// The digest of the prompt. The text itself is not kept.
    digest: String,
    /// The receipt of the query.
    pub(super) retrieval_id: RetrievalId,
    /// The memories that the agent received.
    pub(super) memory_ids: Vec<MemoryId>,
}

/// An agent that has stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StoppedSession {
    /// The agent.
    pub(super) agent: CodingAgent,
    /// Where its runs go.
    pub(super) destination: Destination,
    /// How they are recorded.
    pub(super) recording: Recording,
    /// The event.
    pub(super) event: HookEvent,
    /// The size of the transcript then. What begins later belongs to a later prompt.
    pub(super) size: u64,
    /// When it stopped.
    pub(super) at: SystemTime,
}

/// How far a transcript is recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Progress {
    /// The transcript.
    pub(super) transcript: PathBuf,
    /// The place after the last recorded line.
    pub(super) offset: u64,
    /// The turn of the last recorded run.
    pub(super) turn: String,
    /// The prompt of that run.
    pub(super) prompt: String,
    /// The version of the agent. A transcript may name it once, at its begin.
    pub(super) version: Option<String>,
}

impl Progress {
    /// Whether this turn was recorded last, so that what follows is a continuation of it.
    pub(super) fn is_of(&self, turn: &str) -> bool {
        let rest = self.turn.strip_prefix(turn).filter(|_| !turn.is_empty());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('+'))
    }
}

impl PendingPrompt {
    pub(super) fn new(
        turn: Option<&str>,
        prompt: &str,
        retrieval_id: RetrievalId,
        memory_ids: Vec<MemoryId>,
    ) -> Self {
        Self { turn: turn.map(str::to_owned), digest: digest(prompt), retrieval_id, memory_ids }
    }

    /// Whether it has the id of this run.
    pub(super) fn has_turn(&self, turn: Option<&str>) -> bool {
        self.turn.is_some() && self.turn.as_deref() == turn
    }

    /// Whether it has the text of this run. An id of both decides alone: a text such as "continue" is sent more than once.
    pub(super) fn has_text(&self, turn: Option<&str>, prompt: &str) -> bool {
        let both_have_ids = self.turn.is_some() && turn.is_some();
        !both_have_ids && !prompt.is_empty() && self.digest == digest(prompt)
    }
}

fn digest(prompt: &str) -> String {
    Sha256::digest(prompt.trim()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A new name that sorts by time.
fn file_name(begin: &str, at: SystemTime) -> String {
    let millis = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    format!("{begin}{millis:013x}-{}.json", Uuid::now_v7().simple())
}

impl SessionFolder {
    /// Opens the folder, which is created.
    pub(super) fn open(path: PathBuf) -> anyhow::Result<Self> {
        private_file::create_folders(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self { path })
    }

    /// A folder that exists.
    pub(super) const fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the folder.
    pub(super) fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Adds a prompt.
    pub(super) fn add_prompt(&self, prompt: &PendingPrompt, now: SystemTime) -> anyhow::Result<()> {
        write_json(&self.path.join(file_name(PROMPT, now)), prompt)
    }

    /// The prompts whose runs are not recorded, in order, with their files.
    pub(super) fn prompts(&self) -> Vec<(PathBuf, PendingPrompt)> {
        let paths = self.files(PROMPT).into_iter();
        paths.filter_map(|path| Some((path.clone(), read_json(&path)?))).collect()
    }

    /// The files whose names begin with this, in the order of time.
    fn files(&self, begin: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().filter_map(Result::ok);
        let is_wanted =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin));
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_wanted).collect();
        paths.sort();
        paths
    }

    /// The first event that was not handled, with its file.
    pub(super) fn stopped(&self) -> Option<(PathBuf, StoppedSession)> {
        self.files(STOPPED).into_iter().find_map(|path| Some((path.clone(), read_json(&path)?)))
    }

    /// Keeps an event until it is handled.
    pub(super) fn keep_stopped(&self, stopped: &StoppedSession) -> anyhow::Result<()> {
        write_json(&self.path.join(file_name(STOPPED, stopped.at)), stopped)
    }

    /// Notes when the first prompt of the session was seen.
    pub(super) fn begin(&self, now: SystemTime) -> anyhow::Result<()> {
        let path = self.path.join(BEGUN);
        if path.exists() { Ok(()) } else { write_json(&path, &now) }
    }

    /// When the first prompt of the session was seen.
    pub(super) fn begun(&self) -> Option<SystemTime> {
        read_json(&self.path.join(BEGUN))
    }

    /// How far this transcript is recorded. `None` if nothing of it is.
    pub(super) fn progress(&self, transcript: &Path) -> Option<Progress> {
        read_json::<Progress>(&self.path.join(PROGRESS)).filter(|progress| progress.transcript == transcript)
    }

    pub(super) fn save_progress(&self, progress: &Progress) -> anyhow::Result<()> {
        write_json(&self.path.join(PROGRESS), progress)
    }

    /// Locks the session for the process that records it. The lock ends with the file. `None` if another process has it
    /// and `waits` is false.
    pub(super) fn lock(&self, waits: bool) -> anyhow::Result<Option<File>> {
        let path = self.path.join(LOCK);
        let file = match private_file::create(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                File::options().read(true).write(true).open(&path)
            }
            created => created,
        };
        let file = file.with_context(|| format!("cannot open {}", path.display()))?;
        if waits {
            file.lock().context("cannot lock the state of a session")?;
            return Ok(Some(file));
        }
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error).context("cannot lock the state of a session"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::options::Masking;
    use super::*;
    use crate::spool::SpoolLocation;

    fn folder() -> SessionFolder {
        SessionFolder::open(std::env::temp_dir().join(format!("reflect-session-{}", Uuid::now_v7()))).unwrap()
    }

    #[test]
    fn prompts_are_found_by_their_id_or_their_text_which_is_not_kept() {
        let session = folder();
        let now = SystemTime::now();
        let prompt = |turn, text| PendingPrompt::new(turn, text, RetrievalId::generate(), Vec::new());
        session.add_prompt(&prompt(None, "Second secret "), now + Duration::from_secs(1)).unwrap();
        session.add_prompt(&prompt(Some("t1"), "First"), now).unwrap();

        let found = session.prompts();

        assert!(found[0].1.has_turn(Some("t1")) && found[0].1.has_text(None, "First"));
        assert!(!found[0].1.has_turn(Some("t2")) && !found[0].1.has_text(None, "other"));
        assert!(!found[0].1.has_text(Some("t2"), "First"));
        assert!(found[1].1.has_text(Some("t2"), "Second secret") && !found[1].1.has_text(None, ""));
        assert!(!found[1].1.has_turn(None));
        assert!(!fs::read_to_string(&found[1].0).unwrap().contains("secret"));
        fs::remove_dir_all(session.path()).unwrap();
    }

    #[test]
    fn a_turn_is_recognised_after_its_continuations() {
        let progress = |turn: &str| Progress { turn: turn.to_owned(), ..Progress::default() };

        assert!(progress("t1").is_of("t1") && progress("t1+10+20").is_of("t1"));
        assert!(!progress("t10").is_of("t1") && !progress("").is_of("t1") && !progress("").is_of(""));
    }

    #[test]
    fn events_are_handled_in_their_order() {
        let session = folder();
        let stopped = |second| StoppedSession {
            agent: CodingAgent::Codex,
            destination: Destination::new("http://a", "p"),
            recording: Recording {
                mask: Masking::Personal,
                test_commands: vec!["just ci".to_owned()],
                place: SpoolLocation::default(),
            },
            event: HookEvent::default(),
            size: second,
            at: SystemTime::UNIX_EPOCH + Duration::from_secs(second),
        };
        for second in [2, 1, 3] {
            session.keep_stopped(&stopped(second)).unwrap();
        }

        for second in [1, 2, 3] {
            let (file, first) = session.stopped().unwrap();
            assert_eq!(first, stopped(second));
            fs::remove_file(file).unwrap();
        }
        assert_eq!(session.stopped(), None);
        fs::remove_dir_all(session.path()).unwrap();
    }

    #[test]
    fn a_session_begins_with_its_first_prompt() {
        let session = folder();
        let first = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        assert_eq!(session.begun(), None);

        session.begin(first).unwrap();
        session.begin(first + Duration::from_secs(60)).unwrap();

        assert_eq!(session.begun(), Some(first));
        fs::remove_dir_all(session.path()).unwrap();
    }

    #[test]
    fn one_process_records_a_session() {
        let session = folder();
        let held = session.lock(false).unwrap().unwrap();

        assert!(session.lock(false).unwrap().is_none());
        drop(held);
        assert!(session.lock(true).unwrap().is_some());
        fs::remove_dir_all(session.path()).unwrap();
    }
}
