//! No SQL statement inside Rust: in the store it belongs in a `.sql` file, and other crates call the store.
//!
//! Tests, test support, benchmarks and tools are exempt. The rule looks at the first words of a string. It ignores
//! `begin` and `set local …`, which contain no data.

use super::Violation;
use crate::sources::{Member, Tree};

/// Files of the store that may contain statements, with the reason.
const ALLOWED: [(&str, &str); 0] = [];

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    check_with(tree, &ALLOWED)
}

fn check_with(tree: &Tree, allowed: &[(&str, &str)]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (member, file) in tree.rust_sources() {
        let why = match member {
            Member::Product("test-support") | Member::Bench | Member::Xtask => continue,
            Member::Product("store") if allowed.iter().any(|(path, _)| *path == file.path) => continue,
            Member::Product("store") => {
                "a statement belongs into a .sql file, where it is prepared by a test"
            }
            Member::Product(_) => "only crates/store writes SQL",
        };
        let rust = file.rust();
        let tests_begin = rust.first_test_line().unwrap_or(usize::MAX);
        let product = rust.literals.iter().filter(|literal| literal.line < tests_begin);
        let statements = product.filter(|literal| is_statement(&literal.text));
        violations.extend(statements.map(|literal| Violation::new(&file.path, literal.line, why)));
    }
    violations
}

/// Whether a text is SQL. English sentences also start with select, update and create.
fn is_statement(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let is_object = |word: &&str| {
        let objects =
            ["table", "index", "extension", "schema", "database", "role", "type", "function", "view"];
        objects.contains(word) || ["policy", "trigger", "sequence"].contains(word)
    };
    match words.as_slice() {
        ["select", next, rest @ ..] => {
            rest.contains(&"from")
                || next.contains(['(', '*', '$'])
                || next.starts_with(|c: char| c.is_ascii_digit())
        }
        ["insert", "into", ..] | ["delete", "from", ..] | ["truncate", _, ..] => true,
        ["update", _, rest @ ..] => rest.iter().take(3).any(|word| *word == "set"),
        ["with", _, "as", next, ..] => next.starts_with('(') || *next == "materialized" || *next == "not",
        ["with", "recursive", ..] => true,
        ["create" | "alter" | "drop", rest @ ..] => {
            let mut objects = rest.iter().take(3);
            objects.any(is_object) && rest.len() > 1 && !rest.contains(&"a") && !rest.contains(&"the")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_told_from_english() {
        let statements = [
            "select 1",
            "SELECT count(*)",
            "select id\n   from trace",
            "Insert Into trace values ($1)",
            "update trace as t set a = 1",
            "delete from trace",
            "with chosen as (select 1)",
            "create unique index on trace (id)",
            "create extension if not exists vector",
            "truncate trace",
        ];
        let sentences = [
            "select a project first",
            "update the setting",
            "delete the key",
            "create a table of results",
            "with love as usual",
            "begin",
            "set local statement_timeout = 0",
            "selected from",
            "created",
        ];

        assert_eq!(statements.iter().find(|text| !is_statement(text)), None);
        assert_eq!(sentences.iter().find(|text| is_statement(text)), None);
    }

    #[test]
    fn statements_in_rust_are_found_where_they_do_not_belong() {
        let text = "// \"select 1\"\nfn f() { query(\"select 1\") }\n\
            #[cfg(test)]\nmod tests {\n    fn t() { query(\"select 1\") }\n}\n";
        let places = ["crates/engine/src/a.rs", "crates/store/src/a.rs", "crates/test-support/src/a.rs"];
        let elsewhere = ["crates/store/tests/it/main.rs", "bench/ingest/src/main.rs", "xtask/src/main.rs"];
        let files: Vec<(&str, &str)> = places.iter().chain(&elsewhere).map(|path| (*path, text)).collect();

        let found = |allowed: &[(&str, &str)]| {
            let violations = check_with(&Tree::of(&files), allowed);
            violations.into_iter().map(|one| (one.path, one.line)).collect::<Vec<_>>()
        };

        assert_eq!(found(&[]), [("crates/engine/src/a.rs".into(), 2), ("crates/store/src/a.rs".into(), 2)]);
        assert_eq!(found(&[("crates/store/src/a.rs", "a reason")]), [("crates/engine/src/a.rs".into(), 2)]);
    }
}
