//! Every error code of the server has a section on the page of error codes, and the page has no others.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};

use super::report::Complaint;

/// The page.
pub(crate) const PAGE: &str = "docs/reference/errors.md";
/// The file that maps errors to statuses and codes.
const SOURCES: &str = "crates/server/src/";

/// Codes that are missing on the page, and codes that the server does not use.
pub(crate) fn check(root: &Path, files: &[String]) -> Result<Vec<Complaint>> {
    let mut code = String::new();
    for file in files.iter().filter(|file| file.starts_with(SOURCES) && file.ends_with(".rs")) {
        code.push_str(&std::fs::read_to_string(root.join(file))?);
    }
    let page = std::fs::read_to_string(root.join(PAGE)).with_context(|| format!("cannot read {PAGE}"))?;
    Ok(differences(&codes_of(&code), &codes_on(&page)))
}

/// `StatusCode::NOT_FOUND, "not_found"`
fn codes_of(code: &str) -> BTreeSet<String> {
    let found = code.split("StatusCode::").skip(1).filter_map(|rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_uppercase() || c == '_');
        let rest = rest.strip_prefix(',')?.trim_start().strip_prefix('"')?;
        Some(rest.split_once('"')?.0.to_owned())
    });
    found
        .filter(|code| !code.is_empty() && code.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
        .collect()
}

/// Headings of the form ``## `not_found` ``.
fn codes_on(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let headings = headings.filter_map(|line| line.trim_start_matches('#').trim().strip_prefix('`'));
    headings.filter_map(|rest| rest.strip_suffix('`')).map(str::to_owned).collect()
}

fn differences(known: &BTreeSet<String>, documented: &BTreeSet<String>) -> Vec<Complaint> {
    let missing = known.difference(documented).map(|code| format!("the page has no section for `{code}`"));
    let idle = documented.difference(known).map(|code| format!("the server never returns `{code}`"));
    missing.chain(idle).map(|why| Complaint::new(PAGE, 1, why)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_unknown_codes_are_reported() {
        let code = "Self::new(StatusCode::CONFLICT, \"conflict\", m);\nnew(\n StatusCode::OK,\n \"gone\", m)\nStatusCode::OK";

        let complaints = differences(&codes_of(code), &codes_on("# Errors\n\n## `conflict`\n\n## `old`\n"));

        let said: Vec<String> = complaints.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                format!("{PAGE}:1: the page has no section for `gone`"),
                format!("{PAGE}:1: the server never returns `old`")
            ]
        );
    }
}
