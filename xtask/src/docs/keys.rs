//! The page docs/reference/keys.md, generated from the key tables in the console's sources.

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

/// Lists the pages and the key table of each screen.
const REGISTRY: &str = "pages.ts";
/// The keys that work on every page.
const GLOBAL: &str = "shell/actions.ts";

/// The page.
pub(crate) fn page(root: &Path) -> Result<String> {
    let sources = root.join("console/app/src");
    let read = |file: &str| {
        let path = sources.join(file);
        std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let registry = read(REGISTRY)?;
    let global = [bindings(&registry), bindings(&read(GLOBAL)?)].concat();
    let mut tables = vec![("Everywhere".to_owned(), global)];
    for (screen, file) in screens(&registry) {
        tables.push((screen, bindings(&read(&file)?)));
    }
    let mut page = OPENING.to_owned();
    for (title, bindings) in tables {
        if bindings.is_empty() {
            bail!("the key table of {title} cannot be read");
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

/// The screens of the registry with the files of their key tables, in order.
fn screens(registry: &str) -> Vec<(String, String)> {
    let file_of = |table: &str| {
        let import =
            registry.lines().find(|line| line.starts_with(&format!("import {{ {table} }} from \"./")))?;
        Some(format!("{}.ts", after(import, "\"./")?.split('"').next()?))
    };
    let entries = registry.split("{ screen: \"").skip(1);
    entries
        .filter_map(|entry| {
            let screen = entry.split('"').next()?.to_owned();
            let table =
                after(entry, "specs: ")?.split(|sign: char| !sign.is_alphanumeric() && sign != '_').next()?;
            Some((screen, file_of(table)?))
        })
        .collect()
}

/// The entries of a table in order: the name of an action, and its keys.
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

/// The key as the console shows it.
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
    fn screens_are_read_with_the_files_of_their_tables() {
        let registry = "import { A_KEYS } from \"./features/a/keys\";\nconst KEY_TABLES = [\n  { screen: \"One a\", specs: A_KEYS },\n];";

        assert_eq!(screens(registry), [("One a".to_owned(), "features/a/keys.ts".to_owned())]);
    }

    #[test]
    fn keys_are_read_from_a_table_with_any_layout() {
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
