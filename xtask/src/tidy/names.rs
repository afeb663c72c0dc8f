//! No file, folder or module has a generic name: such modules collect unrelated code.

use super::Violation;
use crate::sources::Tree;

const EMPTY_NAMES: [&str; 8] = ["utils", "util", "helpers", "helper", "common", "misc", "shared", "core"];
const WHY: &str = "says nothing about what is inside; name it after its subject";

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for file in &tree.files {
        for part in file.path.split('/') {
            let name = part.split('.').next().unwrap_or(part).trim_start_matches('_');
            if EMPTY_NAMES.contains(&name) {
                violations.push(Violation::new(&file.path, 1, format!("the name `{part}` {WHY}")));
            }
        }
        // The rule for files covers modules in files. This covers inline modules.
        if file.extension() == Some("rs") {
            for (line, code) in file.rust().lines() {
                if let Some(name) = module_opened_by(code).filter(|name| EMPTY_NAMES.contains(name)) {
                    violations.push(Violation::new(&file.path, line, format!("the module `{name}` {WHY}")));
                }
            }
        }
    }
    violations
}

fn module_opened_by(code: &str) -> Option<&str> {
    let (before, after) = code.trim().split_once("mod ")?;
    let visible = before.is_empty() || before.starts_with("pub");
    let name = after.trim_end().strip_suffix('{').or_else(|| after.split_once('{').map(|(name, _)| name))?;
    visible.then(|| name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<(String, usize)> {
        check(&Tree::of(files)).into_iter().map(|violation| (violation.path, violation.line)).collect()
    }

    #[test]
    fn generic_names_are_found_in_every_language() {
        let files =
            ["crates/store/src/utils.rs", "console/src/common/a.tsx", "sdks/python/reflect_sdk/_helpers.py"];

        for path in files {
            assert_eq!(found(&[(path, "")]), [(path.to_owned(), 1)]);
        }
        assert_eq!(found(&[("crates/store/src/uncommon.rs", ""), ("docs/VOCABULARY.md", "")]), []);
    }

    #[test]
    fn inline_modules_are_checked_too() {
        let text = "// mod misc {\npub(crate) mod helpers {\n}\nmod tests {\n}\n";

        assert_eq!(found(&[("crates/store/src/lib.rs", text)]), [("crates/store/src/lib.rs".to_owned(), 2)]);
    }
}
