//! The page docs/reference/keys.md, made from the tables of keys in the console's sources.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};

const OPENING: &str = "# Keys of the console

Made from the console's own tables (`cargo xtask docs --generate`). `?` shows the keys of the page you are on, `Ctrl+K`
every action. Single-letter keys can be changed or switched off under *Settings, Keys*. On a Mac, `Ctrl` is `⌘`. The terminal
review has the keys of the page Review. [CONSOLE](../CONSOLE.md) shows the pages.

A key does nothing while you write, while a dialog is open, or while another key is held, but for the chords and `Esc`.
Verdicts count once per press, after the run was on screen for a quarter of a second.
";

/// Where each page's table is.
const TABLES: &[(&str, &str)] = &[
    ("Everywhere", "shell/actions.ts"),
    ("Review", "features/review/keys.ts"),
    ("Overview", "features/overview/keys.ts"),
    ("Traces", "features/traces/keys.ts"),
    ("One trace", "features/trace/keys.ts"),
    ("Memories", "features/memories/keys.ts"),
    ("One memory", "features/memory/keys.ts"),
    ("Retrieve", "features/retrieve/keys.ts"),
];

/// The page.
pub(crate) fn page(root: &Path) -> Result<String> {
    let mut page = OPENING.to_owned();
    for (title, file) in TABLES {
        let path = root.join("console/app/src").join(file);
        let source =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let bindings = bindings(&source);
        if bindings.is_empty() {
            bail!("{file} has no keys that this program can read");
        }
        let _ = write!(page, "\n## {title}\n\n| Key | Does |\n| --- | --- |\n");
        for (label, keys) in bindings {
            let keys: Vec<String> = keys.iter().map(|key| format!("`{}`", shown(key))).collect();
            let keys = if keys.is_empty() { "`Ctrl+K`, then its name".to_owned() } else { keys.join(", ") };
            let _ = writeln!(page, "| {keys} | {label} |");
        }
    }
    Ok(page)
}

/// What is written in a table, in order: what an action is called, and its keys.
fn bindings(source: &str) -> Vec<(String, Vec<String>)> {
    let actions = source.split("action: \"").skip(1);
    actions
        .filter_map(|rest| {
            let label = after(rest, "label: \"")?.split('"').next()?.to_owned();
            if let Some(list) = after(rest, "keys: [") {
                let list = list.split_once("],").or_else(|| list.split_once("] }"))?.0;
                let keys = list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
                return Some((label, keys));
            }
            let key = after(rest, "key: \"")?.split('"').next()?.to_owned();
            Some((format!("Go to {label}"), vec![key]))
        })
        .collect()
}

fn after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    text.split_once(mark).map(|(_, rest)| rest)
}

/// As people write it, which is as the console writes it.
fn shown(key: &str) -> String {
    let chord = |chord: &str| {
        let names = chord.split('+').map(|name| match name {
            "Mod" => "Ctrl".to_owned(),
            "ArrowRight" => "→".to_owned(),
            "ArrowLeft" => "←".to_owned(),
            "ArrowDown" => "↓".to_owned(),
            "ArrowUp" => "↑".to_owned(),
            "Escape" => "Esc".to_owned(),
            name if name.len() == 1 => name.to_uppercase(),
            name => name.to_owned(),
        });
        names.collect::<Vec<_>>().join("+")
    };
    key.split(' ').map(chord).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_from_a_table_whatever_its_layout() {
        let source = "{ action: \"undo\", label: \"Undo\", group: G, keys: [\"u\", \"Mod+z\"] },\n{\n  action: \"back\",\n  \
            label: \"Back\",\n  keys: [\"[\"],\n  guarded: true,\n},\n{ action: \"go\", label: \"Review\", key: \"g r\", \
            path: \"\" },\n{ action: \"x\", label: \"None\", group: G, keys: [] },";

        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        let expected = [
            ("Undo".to_owned(), keys(&["u", "Mod+z"])),
            ("Back".to_owned(), keys(&["["])),
            ("Go to Review".to_owned(), keys(&["g r"])),
            ("None".to_owned(), keys(&[])),
        ];
        assert_eq!(bindings(source), expected);
        assert_eq!(shown("Mod+k"), "Ctrl+K");
        assert_eq!(shown("g r"), "G R");
    }
}
