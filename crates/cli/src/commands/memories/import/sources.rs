//! The files of an import.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;

use super::Format;
use crate::failure::Failure;
use crate::output::size;

/// Rule files in a folder.
const RULE_FILES: [&str; 3] = ["CLAUDE.md", "AGENTS.md", ".cursorrules"];
/// The folder of Cursor's rules.
const CURSOR_RULES: &str = ".cursor/rules";
/// The size of a file, which is read into memory.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// A file with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceFile {
    /// As it is shown and stored: the path that the user wrote.
    pub(super) name: String,
    pub(super) text: String,
}

/// The files, and the rule files in the folders.
pub(super) fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<SourceFile>> {
    let mut all = Vec::new();
    for path in paths {
        let found = if path.is_dir() { rule_files(path)? } else { vec![path.clone()] };
        if found.is_empty() {
            let message = format!("{} has no rule files", path.display());
            return Err(Failure::usage(message).fix("name the files to import").into());
        }
        for path in found {
            all.push(SourceFile { name: path.display().to_string(), text: text_of(&path)? });
        }
    }
    Ok(all)
}

/// The text of a file, with the line ends of Unix and without the mark that some programs write at its begin.
fn text_of(path: &Path) -> anyhow::Result<String> {
    let cannot_read = || format!("cannot read {}", path.display());
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
        .with_context(cannot_read)?;
    if bytes.len() as u64 > MOST_BYTES {
        let message = format!("{} is larger than {}", path.display(), size(MOST_BYTES));
        return Err(Failure::usage(message).fix("split the file").into());
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::usage(format!("{} is not UTF-8", path.display())).fix("convert the file to UTF-8")
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n"))
}

/// The rule files in a folder. A link must not lead out of it: a repository that was cloned could name a file of the user.
fn rule_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let whole = fs::canonicalize(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let is_inside = |path: &Path| fs::canonicalize(path).is_ok_and(|real| real.starts_with(&whole));
    let is_file_inside = |path: &Path| path.is_file() && is_inside(path);
    let own = RULE_FILES.iter().map(|name| folder.join(name)).filter(|path| is_file_inside(path));
    let mut found: Vec<PathBuf> = own.collect();
    let mut folders = vec![folder.join(CURSOR_RULES)];
    // A folder may be given that is the one of the rules.
    if folder.ends_with(CURSOR_RULES) {
        folders.push(folder.to_owned());
    }
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() || !is_inside(&folder) {
            continue;
        }
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "mdc") && is_file_inside(&path) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

impl SourceFile {
    /// The format, by the name of the file, else by its content.
    pub(super) fn format(&self) -> anyhow::Result<Format> {
        let name = self.name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        let extension = name.rsplit('.').next().unwrap_or_default();
        let by_name = match extension {
            "md" | "mdc" | "cursorrules" => Some(Format::Rules),
            "jsonl" | "ndjson" => Some(Format::Jsonl),
            "af" => Some(Format::Letta),
            _ => None,
        };
        by_name.or_else(|| self.format_of_json()).ok_or_else(|| {
            Failure::usage(format!("the format of {} is not known", self.name))
                .fix("choose one with --format: jsonl, mem0, letta or rules")
                .into()
        })
    }

    fn format_of_json(&self) -> Option<Format> {
        let json: Value = serde_json::from_str(&self.text).ok()?;
        let has = |value: &Value, name: &str| value.get(name).is_some();
        let first =
            |value: &Value| value.as_array().and_then(|items| items.first()).cloned().unwrap_or_default();
        let items =
            ["results", "memories", "passages"].iter().find_map(|name| json.get(*name)).unwrap_or(&json);
        if ["blocks", "core_memory", "agents"].iter().any(|name| has(&json, name)) {
            return Some(Format::Letta);
        }
        match first(items) {
            item if has(&item, "memory") => Some(Format::Mem0),
            item if has(&item, "text") || has(&item, "value") => Some(Format::Letta),
            _ => None,
        }
    }
}

/// The JSON of a file.
pub(super) fn json_of(file: &SourceFile) -> anyhow::Result<Value> {
    serde_json::from_str(&file.text).map_err(|error| {
        Failure::usage(format!("{} is not valid JSON: {error}", file.name))
            .fix("choose another format with --format")
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str, text: &str) -> Option<Format> {
        SourceFile { name: name.into(), text: text.into() }.format().ok()
    }

    #[test]
    fn the_format_follows_the_name_or_the_content() {
        assert_eq!(format("a/CLAUDE.md", ""), Some(Format::Rules));
        assert_eq!(format("x.jsonl", ""), Some(Format::Jsonl));
        assert_eq!(format("agent.af", ""), Some(Format::Letta));
        assert_eq!(format("x.json", r#"{"results": [{"memory": "m"}]}"#), Some(Format::Mem0));
        assert_eq!(format("x.json", r#"[{"memory": "m"}]"#), Some(Format::Mem0));
        assert_eq!(format("x.json", r#"{"agents": [], "blocks": []}"#), Some(Format::Letta));
        assert_eq!(format("x.json", r#"[{"text": "m"}]"#), Some(Format::Letta));
        assert_eq!(format("x.json", "{}"), None);
    }

    #[test]
    fn links_out_of_a_folder_are_not_followed_and_line_ends_do_not_matter() {
        let folder = std::env::temp_dir().join(format!("reflect-links-{}", uuid::Uuid::now_v7()));
        let repository = folder.join("repo");
        fs::create_dir_all(repository.join(".cursor/rules")).unwrap();
        fs::write(folder.join("secret"), "- a secret of the user").unwrap();
        fs::write(repository.join("AGENTS.md"), "\u{feff}- one\r\n- two\r\n").unwrap();
        for (to, name) in [
            (folder.join("secret"), ".cursorrules"),
            (folder.join("secret"), ".cursor/rules/a.mdc"),
            (repository.join("AGENTS.md"), "CLAUDE.md"),
        ] {
            std::os::unix::fs::symlink(to, repository.join(name)).unwrap();
        }

        let texts: Vec<String> =
            files(std::slice::from_ref(&repository)).unwrap().into_iter().map(|file| file.text).collect();

        assert_eq!(texts, ["- one\n- two\n"; 2]);
        fs::write(folder.join("latin.md"), b"- gr\xfc\xdfe").unwrap();
        assert!(files(&[folder.join("latin.md")]).unwrap_err().to_string().contains("not UTF-8"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_linked_rules_folder_is_read_only_inside_the_named_folder() {
        let folder = std::env::temp_dir().join(format!("reflect-linked-{}", uuid::Uuid::now_v7()));
        let repository = folder.join("repo");
        for path in ["repo/.cursor", "repo/shared", "home/rules"] {
            fs::create_dir_all(folder.join(path)).unwrap();
        }
        fs::write(repository.join("shared/a.mdc"), "- x").unwrap();
        // What is found in a folder that must not be read leads into the repository again.
        std::os::unix::fs::symlink(repository.join("shared/a.mdc"), folder.join("home/rules/a.mdc")).unwrap();
        let linked = repository.join(".cursor/rules");
        let rules = |to: PathBuf| {
            std::os::unix::fs::symlink(to, &linked).unwrap();
            let found = rule_files(&repository).unwrap();
            fs::remove_file(&linked).unwrap();
            found
        };

        assert_eq!(rules(repository.join("shared")), [linked.join("a.mdc")]);
        assert!(rules(folder.join("home/rules")).is_empty());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_gives_its_rule_files() {
        let folder = std::env::temp_dir().join(format!("reflect-rules-{}", uuid::Uuid::now_v7()));
        fs::create_dir_all(folder.join(".cursor/rules/deep")).unwrap();
        for name in [
            "AGENTS.md",
            ".cursor/rules/a.mdc",
            ".cursor/rules/deep/b.mdc",
            "README.md",
            ".cursor/rules/c.txt",
        ] {
            fs::write(folder.join(name), "- x").unwrap();
        }
        let names: Vec<String> = files(std::slice::from_ref(&folder))
            .unwrap()
            .iter()
            .map(|file| file.name.strip_prefix(folder.to_str().unwrap()).unwrap().to_owned())
            .collect();

        assert_eq!(names, ["/AGENTS.md", "/.cursor/rules/a.mdc", "/.cursor/rules/deep/b.mdc"]);
        assert!(files(&[folder.join(".cursor/rules/deep")]).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
