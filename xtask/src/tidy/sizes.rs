//! No source file has more than 500 lines.
//!
//! Generated files are exempt.

use super::Violation;
use crate::sources::{SourceFile, Tree};

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
    fn a_long_source_file_is_found_unless_it_is_generated() {
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
