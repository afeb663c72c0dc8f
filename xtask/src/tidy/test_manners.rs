//! Tests do not sleep and are not ignored. A sleep hides a missing condition, and an ignored test proves nothing.
//!
//! Code that waits for a condition belongs in `test-support`, which may sleep between two checks.

use super::Violation;
use crate::sources::{Member, SourceFile, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for file in tree.files.iter().filter(|file| file.extension() == Some("rs")) {
        let Some((member, inside)) = file.member() else {
            continue;
        };
        violations.extend(ignored(file));
        if member != Member::Product("test-support") {
            violations.extend(sleeps(file, inside));
        }
    }
    violations
}

fn ignored(file: &SourceFile) -> Vec<Violation> {
    let rust = file.rust();
    let attributes =
        rust.lines().filter(|(_, code)| code.contains("#[ignore") || code.contains(", ignore)]"));
    let attributes =
        attributes.map(|(line, _)| (line, "an ignored test proves nothing; fix it or remove it"));
    let texts = file.text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let examples = texts.filter(|(_, line)| {
        let words = line.strip_prefix("//!").or_else(|| line.strip_prefix("///")).unwrap_or_default();
        words.trim_start().starts_with("```") && words.contains("ignore")
    });
    let examples = examples
        .map(|(line, _)| (line, "an ignored example is not checked; let it compile, or mark it `text`"));
    attributes.chain(examples).map(|(line, why)| Violation::new(&file.path, line, why)).collect()
}

/// In a `tests` folder, in a `tests.rs`, and from the first test module of a source file to its end.
fn sleeps(file: &SourceFile, inside: &str) -> Vec<Violation> {
    let all_tests = inside.starts_with("tests/") || inside.contains("/tests/") || file.name() == "tests.rs";
    let rust = file.rust();
    let first = if all_tests { Some(1) } else { rust.first_test_line() };
    let Some(first) = first else { return Vec::new() };
    let asleep = rust.lines().filter(|(line, code)| *line >= first && calls_sleep(code));
    let why = "tests do not sleep: wait for a condition, or drain the jobs";
    asleep.map(|(line, _)| Violation::new(&file.path, line, why)).collect()
}

fn calls_sleep(code: &str) -> bool {
    ["sleep(", "sleep_until(", "sleep_ms("].iter().any(|call| {
        code.match_indices(call).any(|(at, _)| {
            let before = code[..at].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn ignored_tests_and_ignored_examples_are_found() {
        let text = "/// ```ignore\n/// f();\n/// ```\n// #[ignore]\n#[ignore = \"slow\"]\nfn a() {}\n\
            #[cfg_attr(unix, ignore)]\nfn b() {}\n";

        assert_eq!(lines("crates/store/src/lib.rs", text), [5, 7, 1]);
    }

    #[test]
    fn sleeps_in_test_folders_are_found_however_they_are_imported() {
        let text = "// thread::sleep(x)\nstd::thread::sleep(x);\ntokio::time::sleep(x).await;\nsleep_until(x);\nasleep(x);\n";

        assert_eq!(lines("crates/engine/tests/it/worker.rs", text), [2, 3, 4]);
        assert_eq!(lines("crates/engine/src/worker/tests.rs", text), [2, 3, 4]);
        assert!(lines("crates/engine/src/worker.rs", text).is_empty());
        assert!(lines("crates/test-support/src/tests/wait.rs", text).is_empty());
    }

    #[test]
    fn the_test_module_at_the_end_of_a_file_is_checked_too() {
        let text = "fn back_off() { sleep(x) }\n\n#[cfg(test)]\nmod tests {\n    fn t() { sleep(x) }\n}\n";

        assert_eq!(lines("crates/engine/src/worker.rs", text), [5]);
    }
}
