//! Words that show unclear language, in code, comments, messages and documentation.
//!
//! The list is `xtask/marker-words.txt`: one regular expression per line, matched as whole words in any case. Shared by
//! `house` and `tidy`.

use std::path::Path;

use anyhow::{Context, Result};
use regex::{Regex, RegexBuilder};

use crate::sources::{SourceFile, Tree};

/// The committed list, from the root of the repository.
pub(crate) const LIST: &str = "xtask/marker-words.txt";

/// Paths that are not searched, with the reason.
const EXCLUDED: [(&str, &str); 7] = [
    ("crates/store/migrations/", "a migration is never edited: the database stores its checksum"),
    ("xtask/src/house/marker_words.rs", "names the words it searches for in its tests"),
    ("xtask/src/db/account.rs", "names the Unix user `nobody`"),
    ("crates/cli/src/local_server/postgres_account.rs", "names the Unix user `nobody`"),
    ("crates/test-support/src/programs.rs", "names the Unix user `nobody`"),
    ("conformance/first_memory_run/user.py", "names the Unix user `nobody`"),
    ("sdks/python/checks/seeds/", "text of other projects, quoted as it is"),
];
const EXTENSIONS: [&str; 8] = ["rs", "py", "ts", "tsx", "sql", "sh", "md", "html"];
const FILES: [&str; 2] = ["justfile", ".ci/run"];

/// The compiled list.
pub(crate) struct MarkerWords {
    words: Regex,
}

/// One word that was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) word: String,
}

impl MarkerWords {
    /// Reads the committed list.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let list = std::fs::read_to_string(root.join(LIST)).with_context(|| format!("cannot read {LIST}"))?;
        Self::parse(&list)
    }

    fn parse(list: &str) -> Result<Self> {
        let entries = list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let entries: Vec<&str> = entries.collect();
        let words = RegexBuilder::new(&format!(r"\b(?:{})\b", entries.join("|")))
            .case_insensitive(true)
            .build()
            .with_context(|| format!("{LIST} has an invalid regular expression"))?;
        Ok(Self { words })
    }

    /// Every marker word outside of tests.
    pub(crate) fn search(&self, tree: &Tree) -> Vec<Finding> {
        let files = tree.files.iter().filter(|file| is_searched(file));
        files.flat_map(|file| self.search_file(file)).collect()
    }

    fn search_file(&self, file: &SourceFile) -> Vec<Finding> {
        let is_rust = file.extension() == Some("rs");
        let tests_begin = if is_rust { file.rust().first_test_line() } else { None };
        let lines = file.text.lines().take(tests_begin.map_or(usize::MAX, |line| line - 1));
        let found = lines.enumerate().flat_map(|(index, line)| {
            let found = self.words.find_iter(line);
            found.map(move |found| (index + 1, found.as_str().to_owned()))
        });
        found.map(|(line, word)| Finding { path: file.path.clone(), line, word }).collect()
    }
}

fn is_searched(file: &SourceFile) -> bool {
    let source = file.extension().is_some_and(|extension| EXTENSIONS.contains(&extension));
    (source || FILES.contains(&file.path.as_str()))
        && !file.is_test()
        && !EXCLUDED.iter().any(|(path, _)| file.path.starts_with(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_every_kind_of_file_outside_of_tests() {
        let words = MarkerWords::parse("# a comment\nnobody\nat\\s+the\\s+most\n").unwrap();
        let tree = Tree::of(&[
            (
                "crates/a/src/lib.rs",
                "// Nobody\nfn nobody_else() {}\n\n#[cfg(test)]\nmod tests {\n// nobody\n}\n",
            ),
            ("docs/a.md", "\nten at the most"),
            ("console/app/src/a.test.ts", "// nobody"),
            ("crates/store/migrations/0001_a.sql", "-- nobody"),
        ]);

        let found: Vec<_> =
            words.search(&tree).into_iter().map(|one| (one.path, one.line, one.word)).collect();
        let expected = [("crates/a/src/lib.rs", 1, "Nobody"), ("docs/a.md", 2, "at the most")];
        assert_eq!(found, expected.map(|(path, line, word)| (path.to_owned(), line, word.to_owned())));
    }
}
