//! The outcome of the tests of a run, as a signal about the run. It is kept until the server has it.

use std::fs;
use std::path::Path;

use chrono::{DateTime, Utc};
use reflect_sdk::{OutgoingSignal, ReflectClient};
use reflect_types::{ReviewResult, SignalSource, TraceId};
use serde::{Deserialize, Serialize};

use super::mask::Mask;
use super::record::shortened;
use super::state::{read_json, write_json};
use super::test_commands::TestReport;

/// The longest comment, in bytes. It can become the feedback of a review.
const LONGEST_COMMENT: usize = 3000;
/// Answers after which a repetition would be answered in the same way: the server has no signals, or refuses this one.
const FINAL: [u16; 5] = [400, 403, 404, 409, 422];

/// Whether the tests of a run passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TestOutcome {
    trace_id: TraceId,
    passed: bool,
    comment: String,
    at: DateTime<Utc>,
}

impl TestOutcome {
    pub(super) fn new(trace_id: TraceId, report: &TestReport, at: DateTime<Utc>, mask: &Mask) -> Self {
        let TestReport { passed, command, exit_code, output } = report;
        let ended = if *passed { "passed".to_owned() } else { format!("ended with exit code {exit_code}") };
        let comment = match (passed, output.is_empty()) {
            (false, false) => format!("`{command}` {ended}:\n{output}"),
            _ => format!("`{command}` {ended}."),
        };
        Self { trace_id, passed: *passed, comment: shortened(&mask.text(&comment), LONGEST_COMMENT), at }
    }

    /// Keeps it in the folder of its destination.
    pub(super) fn keep(&self, folder: &Path) -> anyhow::Result<()> {
        write_json(&folder.join(format!("{}.json", self.trace_id)), self)
    }

    /// The idempotency key makes a repeated signal count once.
    fn signal(&self) -> OutgoingSignal {
        let source = SignalSource::tests();
        let key = format!("{}/{source}", self.trace_id);
        let outcome = if self.passed { ReviewResult::Pass } else { ReviewResult::Fail };
        OutgoingSignal::outcome(source, outcome)
            .about(self.trace_id)
            .occurred_at(self.at)
            .comment(self.comment.clone())
            .idempotency_key(key)
    }
}

/// Sends what is kept in a folder, and removes what the server has.
pub(super) async fn send_kept(client: &ReflectClient, folder: &Path) -> anyhow::Result<()> {
    let entries = fs::read_dir(folder)?.filter_map(Result::ok).map(|entry| entry.path());
    for path in entries.filter(|path| path.extension().is_some_and(|extension| extension == "json")) {
        let Some(outcome) = read_json::<TestOutcome>(&path) else { continue };
        match client.signals.send(&outcome.signal()).await {
            Ok(_) => {}
            Err(error) if error.status().is_some_and(|status| FINAL.contains(&status)) => {}
            Err(error) => return Err(error.into()),
        }
        // Another process may have sent it too. It counts once.
        let _ = fs::remove_file(&path);
    }
    Ok(())
}
