//! The page docs/reference/client-coverage.md: which method of each client sends which request of the HTTP API.
//!
//! The routes come from openapi.json; the methods, and the reasons why one is missing, from client-coverage.json. Routes
//! of the console's own surface are left out: they need a session, which clients do not have.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::report::Complaint;

/// The page.
pub(crate) const PAGE: &str = "docs/reference/client-coverage.md";
const TABLE: &str = "docs/reference/client-coverage.json";
const METHODS: [&str; 5] = ["get", "post", "patch", "put", "delete"];

const OPENING: &str = "# Coverage of the HTTP API by the clients

Which method of each client sends each request. `cargo xtask docs --generate` writes this page from `openapi.json` and
`client-coverage.json`, and `cargo xtask docs` fails if a route is missing here or a method does not exist. A number says
why there is no method.
";

/// A client: its name in the table, its title, its sources, and how a method begins there.
struct Client {
    key: &'static str,
    title: &'static str,
    sources: &'static [&'static str],
    definitions: &'static [&'static str],
}

const CLIENTS: [Client; 3] = [
    Client {
        key: "python",
        title: "Python",
        sources: &["sdks/python/src/reflect_sdk/_calls/", "sdks/python/src/reflect_sdk/client.py"],
        definitions: &["def "],
    },
    Client {
        key: "typescript",
        title: "TypeScript",
        sources: &[
            "sdks/typescript/src/calls/",
            "sdks/typescript/src/client.ts",
            "sdks/typescript/src/bootstrap.ts",
        ],
        definitions: &["\n  ", "\n  async ", "\nexport async function "],
    },
    Client {
        key: "rust",
        title: "Rust",
        sources: &["crates/sdk/src/calls/"],
        definitions: &["pub fn ", "pub async fn "],
    },
];

/// An operation of the API.
struct Operation<'a> {
    id: &'a str,
    method: &'static str,
    path: &'a str,
    tag: &'a str,
}

/// The table of methods and reasons.
pub(crate) fn table(root: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(root.join(TABLE)).with_context(|| format!("cannot read {TABLE}"))?;
    serde_json::from_str(&text).with_context(|| format!("{TABLE} is not JSON"))
}

/// The page.
pub(crate) fn page(openapi: &Value, table: &Value) -> String {
    let mut page = OPENING.to_owned();
    let reasons: Vec<&String> = table["reasons"].as_object().into_iter().flat_map(|all| all.keys()).collect();
    let operations = operations(openapi);
    let mut tags: Vec<&str> = Vec::new();
    for operation in &operations {
        if !tags.contains(&operation.tag) {
            tags.push(operation.tag);
        }
    }
    for tag in tags {
        let _ = write!(
            page,
            "\n## {tag}\n\n| Request | Python | TypeScript | Rust |\n| --- | --- | --- | --- |\n"
        );
        for operation in operations.iter().filter(|operation| operation.tag == tag) {
            let path = operation.path.replace("/v1/projects/{project_id}", "{P}");
            let _ = write!(page, "| `{} {path}` |", operation.method.to_uppercase());
            for client in &CLIENTS {
                let _ = write!(page, " {} |", cell(&table["calls"][operation.id][client.key], &reasons));
            }
            page.push('\n');
        }
    }
    page.push_str("\n`{P}` is `/v1/projects/{project_id}`.\n\n## Why there is no method\n\n");
    for (number, reason) in reasons.iter().enumerate() {
        let text = table["reasons"][reason.as_str()].as_str().unwrap_or_default();
        let _ = writeln!(page, "{}. {text}", number + 1);
    }
    let _ = write!(page, "\n## Methods\n\n| Client | Of {} requests |\n| --- | --- |\n", operations.len());
    for client in &CLIENTS {
        let covered = operations
            .iter()
            .filter(|operation| table["calls"][operation.id][client.key].is_string())
            .count();
        let _ = writeln!(page, "| {} | {covered} |", client.title);
    }
    page
}

fn cell(entry: &Value, reasons: &[&String]) -> String {
    if let Some(method) = entry.as_str() {
        return format!("`{method}`");
    }
    let number = reasons.iter().position(|reason| entry["gap"] == reason.as_str());
    number.map_or_else(|| "?".to_owned(), |number| format!("({})", number + 1))
}

/// Routes without an entry, entries without a route, methods that do not exist, and reasons without a use.
pub(crate) fn check(root: &Path, openapi: &Value, table: &Value, files: &[String]) -> Result<Vec<Complaint>> {
    let mut complaints = Vec::new();
    let mut complain = |text: String| complaints.push(Complaint::new(TABLE, 1, text));
    let operations = operations(openapi);
    let known: BTreeSet<&str> = operations.iter().map(|operation| operation.id).collect();
    let calls: Vec<&String> = table["calls"].as_object().into_iter().flat_map(|all| all.keys()).collect();
    for call in calls.iter().filter(|call| !known.contains(call.as_str())) {
        complain(format!("`{call}` is not an operation of openapi.json"));
    }
    let mut used = BTreeSet::new();
    for client in &CLIENTS {
        let code = code_of(root, client, files)?;
        for operation in &operations {
            let entry = &table["calls"][operation.id][client.key];
            let reason = entry["gap"].as_str();
            match (entry.as_str(), reason) {
                (Some(method), _) if !defines(client, &code, method) => {
                    complain(format!("`{}`: the {} client has no `{method}`", operation.id, client.title));
                }
                (None, Some(reason)) if table["reasons"][reason].is_string() => {
                    used.insert(reason);
                }
                (None, Some(reason)) => complain(format!("`{}`: unknown reason `{reason}`", operation.id)),
                (None, None) => {
                    complain(format!("`{}` needs a method or a `gap` for `{}`", operation.id, client.key));
                }
                (Some(_), _) => {}
            }
        }
    }
    for reason in table["reasons"].as_object().into_iter().flat_map(|all| all.keys()) {
        if !used.contains(reason.as_str()) {
            complain(format!("the reason `{reason}` is not used"));
        }
    }
    Ok(complaints)
}

/// The operations that a client could call, in the order of their paths.
fn operations(openapi: &Value) -> Vec<Operation<'_>> {
    let mut operations = Vec::new();
    for (path, item) in openapi["paths"].as_object().into_iter().flatten() {
        for method in METHODS {
            let operation = &item[method];
            let schemes = operation["security"].as_array().into_iter().flatten();
            let by_session =
                schemes.filter_map(Value::as_object).any(|scheme| scheme.contains_key("session"));
            if let Some(id) = operation["operationId"].as_str()
                && !by_session
            {
                let tag = operation["tags"][0].as_str().unwrap_or_default();
                operations.push(Operation { id, method, path, tag });
            }
        }
    }
    // The order of a map depends on the features of serde_json.
    operations.sort_by_key(|operation| (operation.tag, operation.path, operation.method));
    operations
}

fn code_of(root: &Path, client: &Client, files: &[String]) -> Result<String> {
    let mut code = String::new();
    for file in files.iter().filter(|file| client.sources.iter().any(|source| file.starts_with(source))) {
        code.push_str(
            &std::fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"))?,
        );
    }
    Ok(code)
}

/// Whether the sources define the last part of a name such as `queue.next`.
fn defines(client: &Client, code: &str, method: &str) -> bool {
    let name = method.rsplit('.').next().unwrap_or(method);
    client
        .definitions
        .iter()
        .any(|definition| ["(", "<"].iter().any(|after| code.contains(&format!("{definition}{name}{after}"))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::temporary_folder::TemporaryFolder;

    fn openapi() -> Value {
        json!({"paths": {
            "/v1/projects/{project_id}/runs": {"get": {
                "operationId": "list_runs", "tags": ["runs"], "security": [{"api_key": []}]}},
            "/console/api/members": {"get": {
                "operationId": "list_members", "tags": ["console"], "security": [{"session": []}]}},
        }})
    }

    fn calls(entry: &Value) -> Value {
        json!({"reasons": {"console": "It is for the console."}, "calls": {"list_runs": entry}})
    }

    #[test]
    fn the_page_has_every_method_and_the_reason_of_every_gap() {
        let table =
            calls(&json!({"python": "list_runs", "typescript": "runs.list", "rust": {"gap": "console"}}));

        let page = page(&openapi(), &table);

        for part in [
            "| `GET {P}/runs` | `list_runs` | `runs.list` | (1) |\n",
            "1. It is for the console.\n",
            "| Client | Of 1 requests |",
            "| Rust | 0 |\n",
        ] {
            assert!(page.contains(part), "{part}\n---\n{page}");
        }
        assert!(!page.contains("members"));
    }

    #[test]
    fn a_missing_method_a_missing_entry_and_an_unused_reason_are_found() {
        let folder = TemporaryFolder::make().expect("a folder");
        let file = "crates/sdk/src/calls/runs.rs".to_owned();
        let path = folder.path().join(&file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, "impl Runs {\n    pub async fn list(&self) {}\n}\n").expect("a file");
        let entry = json!({"python": "list_runs", "rust": "runs.list"});

        let found = check(folder.path(), &openapi(), &calls(&entry), &[file]).expect("checked");

        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("the Python client has no `list_runs`"), "{found:?}");
        assert!(found[1].contains("needs a method or a `gap` for `typescript`"), "{found:?}");
        assert!(found[2].contains("the reason `console` is not used"), "{found:?}");
    }
}
