//! Durations of the product's statements, from the log of Postgres. The extension that collects them is not part of every
//! installation, and the log also has what was cancelled.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;

use crate::stage::Stage;
use crate::statements;

/// What `stage` sets as the prefix of every line, so that lines of the product are recognised.
pub(crate) const LINE_PREFIX: &str = "%m [%p] app=%a ";
/// The product's lines. Its connections have this application name.
const OF_THE_PRODUCT: &str = " app=reflect ";
/// A changed setting reaches every process within this time.
const RELOAD: Duration = Duration::from_millis(300);

/// What a duration is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Parsing and planning, or replacing parameters and planning.
    Planning,
    /// Execution, or all of a statement that is sent as text.
    Execution,
}

/// One logged duration.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoggedDuration {
    pub(crate) phase: Phase,
    pub(crate) milliseconds: f64,
    /// The first line of the statement. In the product's files, it says what the statement is for.
    pub(crate) statement: String,
}

/// What was logged in a while.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LogExcerpt {
    pub(crate) durations: Vec<LoggedDuration>,
    /// How many statements were cancelled because they took too long, or waited too long for a lock.
    pub(crate) cancelled: usize,
}

impl LogExcerpt {
    /// The longest statement.
    pub(crate) fn longest(&self) -> Option<&LoggedDuration> {
        self.durations.iter().max_by(|one, other| one.milliseconds.total_cmp(&other.milliseconds))
    }

    /// The milliseconds of one phase.
    pub(crate) fn total(&self, phase: Phase) -> f64 {
        let of_phase = self.durations.iter().filter(|duration| duration.phase == phase);
        of_phase.map(|duration| duration.milliseconds).sum()
    }
}

/// A log that is being read.
#[derive(Debug)]
pub(crate) struct ServerLog {
    path: PathBuf,
    from: u64,
}

impl ServerLog {
    /// Logs durations from this many milliseconds on.
    pub(crate) async fn start(stage: &Stage, milliseconds: u32) -> anyhow::Result<Self> {
        set_threshold(stage, &milliseconds.to_string()).await?;
        let path = stage.cluster.log();
        let from = std::fs::metadata(&path).context("the log of Postgres cannot be read")?.len();
        Ok(Self { path, from })
    }

    /// Stops logging durations, and returns what was logged.
    pub(crate) async fn finish(self, stage: &Stage) -> anyhow::Result<LogExcerpt> {
        set_threshold(stage, "-1").await?;
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.from))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(excerpt(&String::from_utf8_lossy(&bytes)))
    }
}

async fn set_threshold(stage: &Stage, milliseconds: &str) -> anyhow::Result<()> {
    let mut connection = statements::connect(&stage.cluster.url("postgres")).await?;
    let set = format!("alter system set log_min_duration_statement = {milliseconds}");
    statements::execute(&mut connection, set).await?;
    statements::execute(&mut connection, "select pg_reload_conf()").await?;
    tokio::time::sleep(RELOAD).await;
    Ok(())
}

fn excerpt(text: &str) -> LogExcerpt {
    let mut excerpt = LogExcerpt::default();
    for line in text.lines() {
        let Some((_, message)) = line.split_once(OF_THE_PRODUCT) else { continue };
        if message.starts_with("ERROR:  canceling statement due to") {
            excerpt.cancelled += 1;
        }
        let Some(rest) = message.strip_prefix("LOG:  duration: ") else { continue };
        let Some((milliseconds, rest)) = rest.split_once(" ms  ") else { continue };
        let (word, statement) = rest.split_once(": ").unwrap_or((rest, ""));
        let phase = match word.split(' ').next() {
            Some("parse" | "bind") => Phase::Planning,
            _ => Phase::Execution,
        };
        if let Ok(milliseconds) = milliseconds.parse() {
            let statement = statement.trim_start_matches("-- ").to_owned();
            excerpt.durations.push(LoggedDuration { phase, milliseconds, statement });
        }
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
2026-11-17 02:05:46.728 UTC [12] app=reflect LOG:  duration: 0.655 ms  bind sqlx_s_3: -- What was served last.
\tselect 1
2026-11-17 02:05:46.729 UTC [12] app=reflect LOG:  duration: 0.084 ms  execute sqlx_s_3: -- What was served last.
2026-11-17 02:05:46.730 UTC [12] app=scale LOG:  duration: 9000.5 ms  statement: select count(*) from trace
2026-11-17 02:05:46.731 UTC [12] app=reflect LOG:  duration: 1.5 ms  statement: begin; set local a = 1
2026-11-17 02:05:47.731 UTC [12] app=reflect ERROR:  canceling statement due to statement timeout
";

    #[test]
    fn planning_and_execution_of_the_product_are_read() {
        let found = excerpt(LOG);

        assert_eq!(found.durations.len(), 3);
        assert_eq!(found.durations[0].statement, "What was served last.");
        assert!((found.total(Phase::Planning) - 0.655).abs() < 1e-9);
        assert!((found.total(Phase::Execution) - 1.584).abs() < 1e-9);
        assert_eq!(found.longest().map(|longest| longest.milliseconds), Some(1.5));
        assert_eq!(found.cancelled, 1);
    }
}
