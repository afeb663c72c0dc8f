//! Which source files run for three requests, between the handler and SQL.
//!
//! The built server runs under callgrind, which counts only while the handler's function, or a task that it spawns, is
//! on the stack. Debug information leads from each function that ran to its file. This needs no special build, gives
//! the same answer on every run, and finds what a reader has to open. Middleware and extractors run before the handler
//! and do not count; background work does not run in this server.

mod callgrind;
mod stage;

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use stage::Stage;

/// Crates whose files count. The others are libraries with an interface that can be read instead of their code.
const COUNTED: [&str; 5] = ["server", "engine", "store", "rules", "trajectory"];

/// Files that do not count, with the reason. An entry that ends with `/` is a folder.
const SHARED: [(&str, &str); 18] = [
    ("crates/server/src/error.rs", "error conversion"),
    ("crates/engine/src/error.rs", "error conversion"),
    ("crates/store/src/error.rs", "error conversion"),
    ("crates/store/src/connect.rs", "opens connections"),
    ("crates/store/src/db.rs", "opens the transaction of every statement"),
    ("crates/store/src/transaction.rs", "opens the transaction of every statement"),
    ("crates/store/src/point_plans.rs", "settings of the transaction of every statement"),
    ("crates/store/src/search_turns.rs", "lets searches wait before they open a transaction"),
    ("crates/store/src/replica/", "decides which server a retrieval reads"),
    (
        "crates/store/src/memories/retrieval.rs",
        "opens the transaction of a retrieval, on the replica or the primary",
    ),
    ("crates/store/src/job_signal.rs", "wakes workers after a commit"),
    ("crates/engine/src/operations.rs", "opens the span of an operation, for an export"),
    ("crates/store/src/outbox.rs", "stores the events of every transaction with its commit"),
    ("crates/engine/src/trace_waiters.rs", "wakes requests that wait for learning"),
    ("crates/store/src/receipt_queue/", "takes receipts, which are stored after the response"),
    ("crates/store/src/receipts/writer.rs", "stores receipts after the response"),
    ("crates/store/src/sealing/", "encrypts and decrypts stored values"),
    ("crates/store/src/store.rs", "hands out the part of the store that a caller asks for"),
];

/// Functions that spawn a task whose work is part of the request.
const SPAWNING: [&str; 1] = ["spawn_flush"];

/// Printed above the lists.
pub(super) const EXPLANATION: &str = "source files executed between handler and SQL, measured with callgrind
  counted: crates/{server,engine,store,rules,trajectory}, from the entry of the handler to its answer
  not counted: middleware and extractors, error conversion, the code that opens connections and transactions for every
  statement, encryption of stored values, spans of operations, what happens after the response, and libraries of the
  workspace (types, api, model, redaction)";

/// A request that is measured.
pub(super) struct Journey {
    pub(super) title: &'static str,
    pub(super) limit: usize,
    method: &'static str,
    /// As in the description of the API, which names the handler.
    route: &'static str,
    body: Option<&'static str>,
}

const PROJECT_ROUTE: &str = "/v1/projects/{project_id}";

const JOURNEYS: [Journey; 3] = [
    Journey {
        title: "POST trace with review",
        limit: 25,
        method: "POST",
        route: "/v1/projects/{project_id}/traces",
        body: Some(TRACE),
    },
    Journey {
        title: "POST memory/query",
        limit: 12,
        method: "POST",
        route: "/v1/projects/{project_id}/memory/query",
        body: Some(r#"{"task": "Export the orders of March as CSV", "limit": 5}"#),
    },
    Journey {
        title: "GET trace",
        limit: 3,
        method: "GET",
        route: "/v1/projects/{project_id}/traces/{trace_id}",
        body: None,
    },
];

/// Run twice: without measuring, so that there is a memory to find and a trace to read, and then measured.
const TRACE: &str = r#"{"task": "Export the orders of February as CSV",
    "trajectory": [{"role": "user", "content": "Export the orders of February as CSV"},
                   {"role": "assistant", "content": "The decimal separator is a comma."}],
    "review": {"result": "fail", "feedback_text": "Use a point as the decimal separator."}}"#;

/// The files of each journey.
pub(super) struct Journeys {
    pub(super) measured: Vec<(&'static Journey, BTreeSet<String>)>,
}

impl fmt::Display for Journeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<String> = self.measured.iter().map(|(_, files)| files.len().to_string()).collect();
        write!(f, "{}", counts.join("/"))
    }
}

/// Runs the three requests.
pub(super) fn measure(root: &Path) -> Result<Journeys> {
    let openapi = std::fs::read_to_string(root.join("openapi.json")).context("cannot read openapi.json")?;
    let openapi: Value = serde_json::from_str(&openapi).context("openapi.json is not valid JSON")?;
    let stage = Stage::prepare(PROJECT_ROUTE, TRACE)?;
    let mut measured = Vec::new();
    for journey in &JOURNEYS {
        let operation = &openapi["paths"][journey.route][journey.method.to_lowercase()]["operationId"];
        let handler = operation.as_str().with_context(|| format!("openapi.json has no {}", journey.title))?;
        let entries: Vec<String> = SPAWNING.into_iter().chain([handler]).flat_map(entries).collect();
        let output = stage.run_measured(&entries, journey.method, journey.route, journey.body)?;
        let files: BTreeSet<String> =
            callgrind::files(&output).into_iter().filter(|file| counts(file)).collect();
        if files.is_empty() {
            bail!("{}: callgrind saw no function of the handler `{handler}`", journey.title);
        }
        measured.push((journey, files));
    }
    Ok(Journeys { measured })
}

/// The body of an async function or block is a closure, which has another name in each of the two schemes of symbol
/// names that rustc knows.
fn entries(function: &str) -> [String; 2] {
    [format!("*::{function}::{{{{closure}}}}"), format!("*::{function}::{{closure#0}}")]
}

fn counts(file: &str) -> bool {
    let inside = COUNTED.iter().any(|name| file.starts_with(&format!("crates/{name}/src/")));
    inside
        && !SHARED
            .iter()
            .any(|(path, _)| if path.ends_with('/') { file.starts_with(path) } else { file == *path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_files_and_other_crates_do_not_count() {
        assert!(counts("crates/store/src/traces/record.rs"));
        assert!(!counts("crates/store/src/error.rs"));
        assert!(!counts("crates/types/src/ids.rs"));
    }
}
