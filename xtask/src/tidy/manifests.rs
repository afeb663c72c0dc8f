//! Members inherit lints and versions from the workspace. So there is one version of each dependency, and building one
//! crate reuses the results of the workspace build.

use super::Violation;
use crate::sources::{SourceFile, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let manifests = tree.files.iter().filter(|file| file.path.ends_with("/Cargo.toml"));
    manifests.filter(|file| file.member().is_some()).flat_map(check_manifest).collect()
}

fn check_manifest(file: &SourceFile) -> Vec<Violation> {
    let mut violations = Vec::new();
    let entries = entries(&file.text);
    let lints = entries.iter().any(|entry| entry.table == "lints" && entry.inherits());
    if !lints {
        violations.push(Violation::new(&file.path, 1, "write `[lints]` and `workspace = true`"));
    }
    for entry in entries.iter().filter(|entry| entry.is_dependency()) {
        if !entry.inherits() || entry.has_own_source() {
            let why =
                format!("`{}` takes its version from the workspace: `{0}.workspace = true`", entry.name());
            violations.push(Violation::new(&file.path, entry.line, why));
        }
    }
    violations
}

/// One `key = value` of a manifest with its table. The table of one dependency is one entry.
struct Entry {
    line: usize,
    table: String,
    text: String,
}

impl Entry {
    fn is_dependency(&self) -> bool {
        self.table.ends_with("dependencies")
    }

    fn name(&self) -> &str {
        self.text.split(['.', ' ', '=', '\n']).next().unwrap_or_default()
    }

    fn inherits(&self) -> bool {
        self.text.replace(' ', "").contains("workspace=true")
    }

    /// A source next to `workspace = true`. Cargo mostly ignores it, but it misleads readers.
    fn has_own_source(&self) -> bool {
        let compact = self.text.replace(' ', "");
        ["version=", "path=", "git=", "registry="].iter().any(|key| compact.contains(key))
    }
}

fn entries(manifest: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let (mut table, mut open) = (String::new(), false);
    for (index, line) in manifest.lines().enumerate() {
        let line_text = line.split('#').next().unwrap_or_default().trim();
        if line_text.is_empty() {
            continue;
        }
        if let Some(name) = line_text.strip_prefix('[').filter(|_| !open) {
            table = name.trim_end_matches(']').to_owned();
            // `[dependencies.serde]` is an entry of `dependencies` with several lines.
            if let Some((outer, name)) = table.rsplit_once("dependencies.") {
                let outer = format!("{outer}dependencies");
                entries.push(Entry { line: index + 1, table: outer, text: format!("{name}\n") });
            }
            continue;
        }
        let continues = open || table.contains("dependencies.");
        match entries.last_mut().filter(|_| continues) {
            Some(entry) => entry.text.extend([line_text, "\n"]),
            None => entries.push(Entry { line: index + 1, table: table.clone(), text: line_text.to_owned() }),
        }
        let text = entries.last().map(|entry| entry.text.as_str()).unwrap_or_default();
        open = text.matches(['[', '{']).count() > text.matches([']', '}']).count();
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[package]\nname = \"reflect-store\"\nversion.workspace = true\n\n[dependencies]\n\
        serde.workspace = true # words\nsqlx = { workspace = true, features = [\n  \"uuid\",\n] }\n\n\
        [dependencies.uuid]\nworkspace = true\n\n[lints]\nworkspace = true\n";

    fn found(manifest: &str) -> Vec<(usize, String)> {
        let violations = check(&Tree::of(&[("crates/store/Cargo.toml", manifest)]));
        violations.into_iter().map(|violation| (violation.line, violation.why)).collect()
    }

    #[test]
    fn a_manifest_that_inherits_everything_is_fine() {
        assert_eq!(found(GOOD), []);
    }

    #[test]
    fn missing_lints_are_found() {
        let without = GOOD.replace("[lints]\nworkspace = true\n", "");

        assert_eq!(found(&without), [(1, "write `[lints]` and `workspace = true`".to_owned())]);
    }

    #[test]
    fn own_versions_are_found_in_every_table_and_spelling() {
        for (entry, name) in [
            ("[dev-dependencies]\ninsta = \"1\"\n", "insta"),
            ("[target.'cfg(unix)'.dependencies]\nnix = { version = \"1\" }\n", "nix"),
            ("[build-dependencies.cc]\nversion = \"1\"\n", "cc"),
            ("[dependencies]\nreflect-types = { path = \"../types\", workspace = true }\n", "reflect-types"),
            ("[dependencies]\nserde.version = \"1\"\n", "serde"),
        ] {
            let complaints =
                found(&GOOD.replace("[dependencies]\n", entry).replace("[dependencies.uuid]", "[x]"));
            assert_eq!(complaints.len(), 1, "{entry}: {complaints:?}");
            assert!(complaints[0].1.starts_with(&format!("`{name}` takes")), "{complaints:?}");
        }
    }
}
