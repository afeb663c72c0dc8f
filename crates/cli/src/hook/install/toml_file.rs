//! Hooks in `config.toml` of Codex. Everything else in the file stays as it is, with its order and its comments.

use anyhow::{Context, bail};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::{HookEntry, IsOwn};

/// The own hooks of a file.
pub(super) fn hooks(text: &str, is_own: IsOwn<'_>) -> anyhow::Result<Vec<HookEntry>> {
    let document = parsed(text)?;
    let events = document.get("hooks").and_then(Item::as_table);
    let mut found = Vec::new();
    for (event, groups) in events.into_iter().flatten() {
        let groups = groups.as_array_of_tables().into_iter().flatten();
        let handlers = groups.filter_map(|group| group.get("hooks")?.as_array_of_tables()).flatten();
        for handler in handlers.filter(|handler| is_own_handler(handler, is_own)) {
            let timeout = handler.get("timeout").and_then(Item::as_integer);
            found.push(HookEntry {
                event: event.to_owned(),
                command: command_of(handler).unwrap_or_default().to_owned(),
                timeout: timeout.and_then(|timeout| u32::try_from(timeout).ok()).unwrap_or_default(),
            });
        }
    }
    Ok(found)
}

/// The file with these hooks, each once.
pub(super) fn with_hooks(text: &str, wanted: &[HookEntry], is_own: IsOwn<'_>) -> anyhow::Result<String> {
    let found = hooks(text, is_own)?;
    if found.len() == wanted.len() && wanted.iter().all(|hook| found.contains(hook)) {
        return Ok(text.to_owned());
    }
    // An own hook has nothing that must stay.
    let mut document = parsed(&without_hooks(text, is_own)?)?;
    let mut empty = Table::new();
    empty.set_implicit(true);
    let events = document.entry("hooks").or_insert(Item::Table(empty));
    let events = events.as_table_mut().context("`hooks` is not a table")?;
    for hook in wanted {
        let groups = events.entry(&hook.event).or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        let Some(groups) = groups.as_array_of_tables_mut() else {
            bail!("`hooks.{}` is not written as [[hooks.{}]]", hook.event, hook.event);
        };
        groups.push(group(hook));
    }
    Ok(document.to_string())
}

/// The file without own hooks. What is empty then is removed too.
pub(super) fn without_hooks(text: &str, is_own: IsOwn<'_>) -> anyhow::Result<String> {
    if hooks(text, is_own)?.is_empty() {
        return Ok(text.to_owned());
    }
    let mut document = parsed(text)?;
    if let Some(events) = document.get_mut("hooks").and_then(Item::as_table_mut) {
        let names: Vec<String> = events.iter().map(|(name, _)| name.to_owned()).collect();
        for name in names {
            let Some(groups) = events.get_mut(&name).and_then(Item::as_array_of_tables_mut) else { continue };
            groups.retain(|group| !is_own_group(group, is_own));
            for group in groups.iter_mut() {
                if let Some(handlers) = group.get_mut("hooks").and_then(Item::as_array_of_tables_mut) {
                    handlers.retain(|handler| !is_own_handler(handler, is_own));
                }
            }
            if groups.is_empty() {
                events.remove(&name);
            }
        }
    }
    Ok(document.to_string())
}

fn parsed(text: &str) -> anyhow::Result<DocumentMut> {
    text.parse().context("it is not valid TOML")
}

fn command_of(handler: &Table) -> Option<&str> {
    handler.get("command")?.as_str()
}

fn is_own_handler(handler: &Table, is_own: IsOwn<'_>) -> bool {
    command_of(handler).is_some_and(is_own)
}

/// Whether a group has own hooks only.
fn is_own_group(group: &Table, is_own: IsOwn<'_>) -> bool {
    let handlers = group.get("hooks").and_then(Item::as_array_of_tables);
    handlers.is_some_and(|handlers| {
        !handlers.is_empty() && handlers.iter().all(|handler| is_own_handler(handler, is_own))
    })
}

fn group(hook: &HookEntry) -> Table {
    let mut handler = Table::new();
    handler.insert("type", value("command"));
    handler.insert("command", value(hook.command.as_str()));
    handler.insert("timeout", value(i64::from(hook.timeout)));
    let mut handlers = ArrayOfTables::new();
    handlers.push(handler);
    let mut group = Table::new();
    group.insert("hooks", Item::ArrayOfTables(handlers));
    group
}

#[cfg(test)]
mod tests {
    use super::super::sample_hooks::{is_own, wanted};
    use super::*;

    const OTHERS: &str = "# mine\nmodel = \"gpt-x\" # the best\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\n\
                          command = \"say done\"\n\n[features]\nhooks = true\n";

    #[test]
    fn hooks_are_added_beside_others_and_removed_again() {
        let with = with_hooks(OTHERS, &wanted("reflect hook codex"), &is_own).unwrap();

        assert_eq!(with_hooks(&with, &wanted("reflect hook codex"), &is_own).unwrap(), with);
        assert_eq!(
            hooks(&with, &is_own).unwrap(),
            [wanted("reflect hook codex")[1].clone(), wanted("reflect hook codex")[0].clone()]
        );
        assert!(with.contains("# the best") && with.contains("say done"), "{with}");
        assert_eq!(without_hooks(&with, &is_own).unwrap(), OTHERS);
        insta::assert_snapshot!("toml_with_hooks", with);
    }

    #[test]
    fn other_flags_replace_the_command() {
        let with = with_hooks(OTHERS, &wanted("reflect hook codex"), &is_own).unwrap();
        let changed = with_hooks(&with, &wanted("reflect hook codex --project p"), &is_own).unwrap();

        let found = hooks(&changed, &is_own).unwrap();
        assert_eq!(found.len(), 2, "{changed}");
        assert!(found.iter().all(|hook| hook.command.ends_with("--project p")), "{changed}");
    }

    #[test]
    fn a_file_that_is_not_understood_is_not_changed() {
        for broken in ["hooks = 1", "[hooks]\nStop = []", "a = "] {
            assert!(with_hooks(broken, &wanted("reflect hook codex"), &is_own).is_err(), "{broken}");
        }
    }
}
