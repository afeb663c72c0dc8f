//! No source file over 500 lines: a longer one has two subjects.
//!
//! Generated files are exempt, because nobody reads them.

use super::Violation;
use super::tree::{SourceFile, Tree};

const LIMIT: usize = 500;
const EXTENSIONS: [&str; 6] = ["rs", "py", "ts", "tsx", "sql", "sh"];
const FILES: [&str; 2] = ["justfile", ".ci/run"];
const GENERATED: [&str; 3] = ["openapi.json", "Cargo.lock", "schema.ts"];

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let long = tree.files.iter().filter(|file| is_source(file)).filter_map(|file| {
        let lines = file.text.lines().count();
        (lines > LIMIT)
            .then(|| Violation::new(&file.path, lines, format!("{lines} lines; at most {LIMIT}: split it")))
    });
    long.collect()
}

fn is_source(file: &SourceFile) -> bool {
    let source = file.extension().is_some_and(|extension| EXTENSIONS.contains(&extension));
    (source || FILES.contains(&file.path.as_str())) && !GENERATED.contains(&file.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_source_file_is_too_long_and_a_generated_one_is_not() {
        let (long, fits) = ("\n".repeat(501), "\n".repeat(500));

        let tree = Tree::of(&[
            ("crates/store/src/traces.rs", &long),
            ("crates/store/src/memories.rs", &fits),
            ("justfile", &long),
            ("console/src/api/schema.ts", &long),
            ("openapi.json", &long),
        ]);

        let found: Vec<_> = check(&tree).into_iter().map(|violation| violation.path).collect();
        assert_eq!(found, ["crates/store/src/traces.rs", "justfile"]);
    }
}
