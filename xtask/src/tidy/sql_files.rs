//! SQL files are in the store, start with a comment about their purpose, and use `project_id`.
//!
//! A project is a tenant: a statement without `project_id` could read data of other projects. The folders listed below
//! are exempt. `sql_literals` checks SQL inside Rust.

use super::Violation;
use crate::sources::{SourceFile, Tree};

/// Statements that do not need a project, with the reason.
const WITHOUT_PROJECT: [(&str, &str); 3] = [
    (
        "sql/audit_chain/",
        "hashes and signatures of the audit log, for the whole database; `chain` is the project",
    ),
    (
        "sql/catalogue/",
        "finds or makes the project itself: projects, keys by digest, spaces, the server's state",
    ),
    ("sql/maintenance/", "partitions, sweeps and statistics, run by the operator for the whole database"),
];

/// A shorter comment cannot state the purpose.
const SHORTEST_REASON: usize = 12;

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for file in tree.files.iter().filter(|file| file.extension() == Some("sql")) {
        let Some(inside) = file.path.strip_prefix("crates/store/") else {
            if !file.path.starts_with("bench/") {
                violations.push(Violation::new(&file.path, 1, "SQL lives in crates/store"));
            }
            continue;
        };
        if !opens_with_reason(file) {
            violations.push(Violation::new(&file.path, 1, "the first line is a `--` comment that says why"));
        }
        let excused = WITHOUT_PROJECT.iter().any(|(folder, _)| inside.starts_with(folder));
        if inside.starts_with("sql/") && !excused && !names_project(file) {
            let folders: Vec<String> =
                WITHOUT_PROJECT.iter().map(|(folder, reason)| format!("{folder} ({reason})")).collect();
            let why =
                format!("the statement does not name project_id; only these may: {}", folders.join("; "));
            violations.push(Violation::new(&file.path, 1, why));
        }
    }
    violations
}

fn opens_with_reason(file: &SourceFile) -> bool {
    let first = file.text.lines().next().unwrap_or_default();
    first.strip_prefix("--").is_some_and(|reason| reason.trim().len() >= SHORTEST_REASON)
}

/// A comment that names the project protects nothing.
fn names_project(file: &SourceFile) -> bool {
    let statement = file.text.lines().map(|line| line.split("--").next().unwrap_or_default());
    statement.into_iter().any(|line| line.contains("project_id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|violation| violation.why).collect()
    }

    const GOOD: &str =
        "-- Finds one trace of a project.\nselect id from trace where project_id = $1 and id = $2\n";

    #[test]
    fn a_statement_with_purpose_and_project_is_valid() {
        assert!(complaints("crates/store/sql/traces/find.sql", GOOD).is_empty());
    }

    #[test]
    fn a_statement_without_its_project_is_found_even_if_a_comment_names_it() {
        let text =
            "-- Finds a trace by id, project_id or not.\nselect id from trace where id = $1 -- project_id\n";

        assert!(
            complaints("crates/store/sql/traces/find.sql", text)[0]
                .starts_with("the statement does not name")
        );
        assert!(complaints("crates/store/sql/catalogue/find_key.sql", text).is_empty());
        assert!(complaints("crates/store/sql/maintenance/sweep.sql", text).is_empty());
    }

    #[test]
    fn sql_without_a_purpose_comment_is_found() {
        let complaint = ["the first line is a `--` comment that says why"];

        assert_eq!(
            complaints("crates/store/sql/traces/find.sql", "select project_id from trace\n"),
            complaint
        );
        assert_eq!(
            complaints("crates/store/migrations/0001_projects.sql", "--\ncreate table a ();\n"),
            complaint
        );
        assert!(
            complaints("crates/store/migrations/0001_projects.sql", "-- Projects and their keys.\n")
                .is_empty()
        );
    }

    #[test]
    fn sql_elsewhere_is_found() {
        assert_eq!(complaints("crates/engine/sql/find.sql", GOOD), ["SQL lives in crates/store"]);
        assert!(complaints("bench/ingest/sql/count.sql", GOOD).is_empty());
    }
}
