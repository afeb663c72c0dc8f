//! The outcome of the tests of a run, as a signal about the run. It is kept until the server has it.

use std::fs;
use std::path::Path;

use chrono::{DateTime, Utc};
use reflect_sdk::{OutgoingSignal, ReflectClient};
use reflect_types::{ReviewResult, SignalSource, TraceId};
use serde::{Deserialize, Serialize};

use super::mask::Mask;
use super::record::shortened;
use super::test_commands::TestReport;
use super::whole_files::{read_json, write_json};

/// The longest comment, in bytes. It can become the feedback of a review.
const LONGEST_COMMENT: usize = 3000;
/// The longest output in it, in bytes.
const LONGEST_OUTPUT: usize = 2000;
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
        // Cut after it was masked: the rest of a key that was cut is not recognised.
        let (command, output) = (mask.text(command), mask.text(output));
        let ended = if *passed { "passed".to_owned() } else { format!("ended with exit code {exit_code}") };
        let comment = match (passed, output.is_empty()) {
            (false, false) => format!("`{command}` {ended}:\n{}", end_of(&output)),
            _ => format!("`{command}` {ended}."),
        };
        Self { trace_id, passed: *passed, comment: shortened(&comment, LONGEST_COMMENT), at }
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

/// The end of an output: test programs write the failures and the sums there.
fn end_of(output: &str) -> &str {
    &output[output.ceil_char_boundary(output.len().saturating_sub(LONGEST_OUTPUT))..]
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

#[cfg(test)]
mod tests {
    use super::super::options::Masking;
    use super::super::state::State;
    use super::*;

    #[test]
    fn no_part_of_a_key_is_left_in_a_comment_that_is_cut() {
        let state =
            State::open(std::env::temp_dir().join(format!("reflect-outcome-{}", uuid::Uuid::now_v7())))
                .unwrap();
        let mask = Mask::new(Masking::Credentials, &state).unwrap();
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(40);
        let key = format!("-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----");
        let report = TestReport {
            passed: false,
            command: "pytest".to_owned(),
            exit_code: 1,
            output: format!("{key}\n1 failed"),
        };

        let outcome = TestOutcome::new(TraceId::generate(), &report, DateTime::UNIX_EPOCH, &mask);

        assert!(!outcome.comment.contains("MIIE"), "{}", outcome.comment);
        assert!(outcome.comment.ends_with("1 failed"), "{}", outcome.comment);
        fs::remove_dir_all(state.outcomes("x").unwrap().ancestors().nth(2).unwrap()).unwrap();
    }
}
