//! A documentation with errors, which the checks must find. This proves that the checks work.

use std::path::Path;

use anyhow::{Result, bail};
use serde_json::Value;

use super::links::{self, INDEX};
use super::page::{self, Page};
use super::run::{self, Depth, Stage};
use super::world::Programs;

/// Each page has one error, and the expected message.
const FAULTS: &[(&str, &str, &str)] = &[
    ("docs/link.md", "[gone](gone.md)\n", "the file does not exist"),
    ("docs/anchor.md", "[gone](link.md#gone)\n", "does not have this heading"),
    ("docs/lost.md", "# Lost\n", "no page links here"),
    ("docs/python.md", "```python\nvalue = 1\n```\n\n```python\nassert value == 2\n```\n", "AssertionError"),
    ("docs/exit.md", "```python\nraise SystemExit\n```\n", "SystemExit"),
    ("docs/printed.md", "```python\nprint(1)\n```\n\n```text output\n2\n```\n", "printed\n1"),
    ("docs/console.md", "```console\n$ false\n```\n", "`false` ended with 1"),
    ("docs/shown.md", "```console\n$ name=b; echo a $name\na …\n$ echo $name\nc\n```\n", "printed\nb"),
    ("docs/script.md", "```sh\nfalse\n```\n", "ended with 1"),
    ("docs/json.md", "```json\n{\"a\": }\n```\n", "this is not valid JSON"),
    ("docs/toml.md", "```toml\na = \n```\n", "this is not valid TOML"),
    ("docs/yaml.md", "```yaml\na: [1\n```\n", "this is not valid YAML"),
    ("docs/http.md", "```http\nGET /v1/nothing\n```\n", "no route"),
    ("docs/reason.md", "```python no-run=because\n1\n```\n", "is not a known reason"),
];

/// The number of errors. All were found.
pub(crate) fn faults_found(programs: &Programs, openapi: &Value, folder: &Path) -> Result<usize> {
    let index: String = FAULTS
        .iter()
        .map(|(path, ..)| path.trim_start_matches("docs/"))
        .filter(|path| *path != "lost.md")
        .map(|path| format!("[page]({path})\n"))
        .collect();
    let root = folder.join("book");
    std::fs::create_dir_all(root.join("docs"))?;
    let mut pages: Vec<Page> = Vec::new();
    let texts = FAULTS.iter().map(|(path, text, _)| (*path, *text)).chain([(INDEX, index.as_str())]);
    for (path, text) in texts {
        std::fs::write(root.join(path), text)?;
        pages.push(page::read(path, text));
    }
    let (_, mut complaints) = links::check(&root, &pages);
    let stage = Stage { programs, openapi, depth: Depth::Everything, with_server: false };
    for (number, page) in pages.iter().enumerate() {
        let own = folder.join(number.to_string());
        std::fs::create_dir_all(&own)?;
        complaints.extend(run::page(&stage, page, &own)?.complaints);
    }
    let messages: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    for (path, _, expected) in FAULTS {
        if !messages.iter().any(|message| message.starts_with(path) && message.contains(expected)) {
            bail!("the error in {path} was not found; the messages are:\n{}", messages.join("\n"));
        }
    }
    if messages.len() != FAULTS.len() {
        bail!(
            "a documentation with {} errors gave {} messages:\n{}",
            FAULTS.len(),
            messages.len(),
            messages.join("\n")
        );
    }
    Ok(FAULTS.len())
}
