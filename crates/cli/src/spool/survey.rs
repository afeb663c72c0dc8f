//! What the spool contains. `reflect spool status` and `reflect doctor` show the same survey.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::destination::{Destination, known_destinations};
use super::folder::{self, Segment};
use crate::connection::Connection;
use crate::output::counted;

/// How many characters of a folder name identify it.
const SHORT_NAME: usize = 8;

/// The stored runs of one destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpooledRuns {
    pub(super) folder: PathBuf,
    pub(super) destination: Option<Destination>,
    /// Whether it is the destination of this connection.
    pub(crate) is_own: bool,
    pub(super) files: usize,
    pub(crate) runs: usize,
    /// Those that belong to no running process.
    pub(crate) orphaned: usize,
    pub(super) bytes: u64,
    pub(super) oldest: Option<Duration>,
    /// Files that a running process uses.
    pub(super) in_use: usize,
    pub(super) damaged: usize,
    /// Runs that the server has rejected.
    pub(super) refused: usize,
}

/// The stored runs by destination; first those of this connection.
pub(super) fn survey(connection: &Connection, root: &Path) -> anyhow::Result<Vec<SpooledRuns>> {
    let known = known_destinations(connection)?;
    let own = Destination::of(connection)?;
    let folders = folder::destinations(root).into_iter().map(|folder| {
        let destination = Destination::of_folder(&folder, &known);
        let segments = folder::segments(&folder);
        let mut spooled = SpooledRuns {
            is_own: destination.as_ref() == Some(&own),
            destination,
            files: 0,
            runs: 0,
            orphaned: 0,
            bytes: 0,
            oldest: None,
            in_use: 0,
            damaged: 0,
            refused: 0,
            folder,
        };
        for segment in segments {
            spooled.add(&segment?);
        }
        anyhow::Ok(spooled)
    });
    let mut found = folders.collect::<anyhow::Result<Vec<_>>>()?;
    found.retain(|spooled| spooled.files > 0);
    found.sort_by_key(|spooled| !spooled.is_own);
    Ok(found)
}

impl SpooledRuns {
    fn add(&mut self, segment: &Segment) {
        let runs = segment.contents.waiting.len();
        self.files += 1;
        self.runs += runs;
        if !segment.in_use && !segment.contents.of_another_version {
            self.orphaned += runs;
        }
        self.bytes += segment.bytes;
        self.oldest = self.oldest.max(segment.oldest());
        self.in_use += usize::from(segment.in_use);
        self.damaged += segment.contents.damaged;
        if segment.is_refused() {
            self.refused += runs;
        }
    }

    pub(super) fn name(&self) -> String {
        self.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    pub(super) fn short_name(&self) -> String {
        self.name().chars().take(SHORT_NAME).collect()
    }

    /// The destination, or the folder if the destination is not known.
    pub(crate) fn label(&self) -> String {
        match &self.destination {
            Some(destination) => destination.to_string(),
            None => format!("an unknown destination (folder {})", self.short_name()),
        }
    }

    pub(super) fn state(&self) -> String {
        match (self.damaged, self.refused, self.in_use) {
            (0, 0, 0) => "orphaned".to_owned(),
            (0, 0, in_use) => format!("{in_use} in use"),
            (0, refused, _) => format!("{refused} rejected"),
            (damaged, ..) => format!("{damaged} damaged"),
        }
    }

    pub(super) fn json(&self) -> Value {
        let destination = self.destination.as_ref();
        json!({
            "folder": self.folder,
            "base_url": destination.map(|destination| &destination.base_url),
            "project_id": destination.map(|destination| &destination.project_id),
            "this_project": self.is_own,
            "files": self.files,
            "runs": self.runs,
            "orphaned": self.orphaned,
            "bytes": self.bytes,
            "oldest_seconds": self.oldest.map(|oldest| oldest.as_secs()),
            "in_use": self.in_use,
            "damaged": self.damaged,
            "refused": self.refused,
        })
    }
}

/// The survey in one sentence, and what to do if a run will not be sent.
pub(crate) fn summary(found: &[SpooledRuns]) -> (String, Option<&'static str>) {
    let waiting: Vec<&SpooledRuns> = found.iter().filter(|spooled| spooled.runs > 0).collect();
    if waiting.is_empty() {
        return ("no unsent runs on this machine".to_owned(), None);
    }
    let parts: Vec<String> = waiting
        .iter()
        .map(|spooled| {
            let sent_soon = match spooled.runs - spooled.orphaned {
                0 => String::new(),
                some => format!(", {some} of them in a running process"),
            };
            format!("{} for {}{sent_soon}", counted(spooled.runs, "unsent run"), spooled.label())
        })
        .collect();
    let is_stuck = |is_own: bool| waiting.iter().any(|one| one.orphaned > 0 && one.is_own == is_own);
    let fix = match (is_stuck(true), is_stuck(false)) {
        (true, false) => Some("run `reflect spool replay`"),
        (true, true) => Some(
            "run `reflect spool replay` for this project; `reflect spool redirect` moves the others to this project",
        ),
        (false, true) => Some(
            "if they belong to this project, run `reflect spool redirect`; otherwise `reflect spool replay` with the address \
             and project above",
        ),
        (false, false) => None,
    };
    (parts.join("; "), fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spooled(project: Option<&str>, is_own: bool, runs: usize, orphaned: usize) -> SpooledRuns {
        SpooledRuns {
            folder: "/spool/0123456789abcdef".into(),
            destination: project.map(|project| Destination::new("http://localhost:8000", project)),
            is_own,
            files: 1,
            runs,
            orphaned,
            bytes: 100,
            oldest: None,
            in_use: 0,
            damaged: 0,
            refused: 0,
        }
    }

    #[test]
    fn runs_are_named_by_project_and_address_and_the_advice_says_what_moves_them() {
        let own = spooled(Some("p"), true, 3, 3);
        let wrong = spooled(Some("old-name"), false, 2, 2);
        let unknown = spooled(None, false, 1, 1);

        let (text, fix) = summary(&[own.clone(), wrong.clone(), unknown]);
        assert_eq!(
            text,
            "3 unsent runs for project p at http://localhost:8000; 2 unsent runs for project old-name at \
             http://localhost:8000; 1 unsent run for an unknown destination (folder 01234567)"
        );
        assert!(fix.unwrap().contains("redirect"));
        assert_eq!(summary(&[own]).1, Some("run `reflect spool replay`"));
        assert!(summary(&[wrong]).1.unwrap().starts_with("if they belong to this project"));
    }

    #[test]
    fn runs_of_a_running_process_need_no_advice() {
        let (text, fix) = summary(&[spooled(Some("p"), true, 3, 0)]);
        assert!(text.ends_with(", 3 of them in a running process"), "{text}");
        assert_eq!(fix, None);
        assert_eq!(
            summary(&[spooled(Some("p"), true, 0, 0)]),
            ("no unsent runs on this machine".to_owned(), None)
        );
    }
}
