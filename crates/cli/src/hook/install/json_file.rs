//! Hooks in a JSON file: `settings.json` of Claude Code and `hooks.json` of Codex. Everything else in the file stays as it is,
//! with its order, its indentation and its comments.

use anyhow::{Context, bail};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};

use super::{HookEntry, IsOwn};

/// An empty file.
const EMPTY: &str = "{}\n";

/// The own hooks of a file.
pub(super) fn hooks(text: &str, is_own: IsOwn<'_>) -> anyhow::Result<Vec<HookEntry>> {
    let (root, _tree) = parsed(text)?;
    let Some(events) = root.object_value("hooks") else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for property in events.properties() {
        let event = property.decoded_name().unwrap_or_default();
        for handler in property.array_value().iter().flat_map(|groups| own_handlers(groups, is_own)) {
            let timeout =
                handler.get("timeout").and_then(|property| property.value()?.to_serde_value()?.as_u64());
            found.push(HookEntry {
                event: event.clone(),
                command: command_of(&handler).unwrap_or_default(),
                timeout: timeout.and_then(|timeout| u32::try_from(timeout).ok()).unwrap_or_default(),
            });
        }
    }
    Ok(found)
}

/// The file with these hooks, each once.
pub(super) fn with_hooks(text: &str, wanted: &[HookEntry], is_own: IsOwn<'_>) -> anyhow::Result<String> {
    if same(&hooks(text, is_own)?, wanted) {
        return Ok(text.to_owned());
    }
    let (root, tree) = parsed(text)?;
    let events = root.object_value_or_create("hooks").context("`hooks` is not an object")?;
    for hook in wanted {
        let Some(property) = events.get(&hook.event) else {
            events.append(&hook.event, CstInputValue::Array(vec![group(hook)]));
            continue;
        };
        let Some(groups) = property.array_value() else { bail!("`hooks.{}` is not an array", hook.event) };
        let mut own = own_handlers(&groups, is_own).into_iter();
        match own.next() {
            Some(first) => set(&first, hook),
            None => drop(groups.append(group(hook))),
        }
        own.for_each(CstObject::remove);
    }
    Ok(tree.to_string())
}

/// The file without own hooks. What is empty then is removed too.
pub(super) fn without_hooks(text: &str, is_own: IsOwn<'_>) -> anyhow::Result<String> {
    if hooks(text, is_own)?.is_empty() {
        return Ok(text.to_owned());
    }
    let (root, tree) = parsed(text)?;
    let Some(events) = root.object_value("hooks") else { return Ok(text.to_owned()) };
    for property in events.properties() {
        let Some(groups) = property.array_value() else { continue };
        for group in groups.elements() {
            let handlers = group.as_object().and_then(|group| group.array_value("hooks"));
            let Some(handlers) = handlers else { continue };
            let own: Vec<CstObject> = own_in(&handlers, is_own).collect();
            if own.is_empty() {
                continue;
            }
            own.into_iter().for_each(CstObject::remove);
            if handlers.elements().is_empty() {
                group.remove();
            }
        }
        if groups.elements().is_empty() {
            property.remove();
        }
    }
    if events.properties().is_empty()
        && let Some(property) = root.get("hooks")
    {
        property.remove();
    }
    Ok(tree.to_string())
}

/// The object of the file, and the whole tree, which must be kept as long as parts of it are used.
fn parsed(text: &str) -> anyhow::Result<(CstObject, CstRootNode)> {
    let text = if text.trim().is_empty() { EMPTY } else { text };
    let options = ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        ..ParseOptions::default()
    };
    let tree = CstRootNode::parse(text, &options).context("it is not valid JSON")?;
    let root = tree.object_value().context("it is not a JSON object")?;
    Ok((root, tree))
}

fn same(found: &[HookEntry], wanted: &[HookEntry]) -> bool {
    found.len() == wanted.len() && wanted.iter().all(|hook| found.contains(hook))
}

fn own_handlers(groups: &CstArray, is_own: IsOwn<'_>) -> Vec<CstObject> {
    let groups = groups.elements().into_iter().filter_map(|group| group.as_object());
    let handlers = groups.filter_map(|group| group.array_value("hooks"));
    handlers.flat_map(|handlers| own_in(&handlers, is_own).collect::<Vec<_>>()).collect()
}

fn own_in<'a>(handlers: &CstArray, is_own: IsOwn<'a>) -> impl Iterator<Item = CstObject> + use<'a> {
    let handlers = handlers.elements().into_iter().filter_map(|handler: CstNode| handler.as_object());
    handlers.filter(move |handler| command_of(handler).is_some_and(|command| is_own(&command)))
}

fn command_of(handler: &CstObject) -> Option<String> {
    let command = handler.get("command")?.value()?.to_serde_value()?;
    Some(command.as_str()?.to_owned())
}

fn group(hook: &HookEntry) -> CstInputValue {
    let handler = vec![
        ("type".to_owned(), "command".into()),
        ("command".to_owned(), hook.command.clone().into()),
        ("timeout".to_owned(), CstInputValue::Number(hook.timeout.to_string())),
    ];
    let handlers = CstInputValue::Array(vec![CstInputValue::Object(handler)]);
    CstInputValue::Object(vec![("hooks".to_owned(), handlers)])
}

fn set(handler: &CstObject, hook: &HookEntry) {
    let values = [
        ("command", CstInputValue::String(hook.command.clone())),
        ("timeout", CstInputValue::Number(hook.timeout.to_string())),
    ];
    for (name, value) in values {
        match handler.get(name) {
            Some(property) => property.set_value(value),
            None => drop(handler.append(name, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_hooks::{is_own, wanted};
    use super::*;

    const OTHERS: &str = r#"{
    "model": "opus", "permissions": {"allow": ["Bash(ls:*)"]},
    "hooks": {
        "Stop": [
            { "matcher": "", "hooks": [{ "type": "command", "command": "say done" }] }
        ]
    },
    "env": { "A": "1" }
}
"#;

    #[test]
    fn hooks_are_added_beside_others_and_removing_them_restores_the_file() {
        let with = with_hooks(OTHERS, &wanted("reflect hook codex"), &is_own).unwrap();

        assert_eq!(with_hooks(&with, &wanted("reflect hook codex"), &is_own).unwrap(), with);
        assert_eq!(hooks(&with, &is_own).unwrap().len(), 2);
        assert!(
            with.contains("say done") && with.contains(r#""permissions": {"allow": ["Bash(ls:*)"]},"#),
            "{with}"
        );
        serde_json::from_str::<serde_json::Value>(&with).unwrap();
        assert_eq!(without_hooks(&with, &is_own).unwrap(), OTHERS);
        insta::assert_snapshot!("json_with_hooks", with);
    }

    #[test]
    fn a_new_file_is_made_and_becomes_empty_again() {
        let with = with_hooks("", &wanted("reflect hook codex"), &is_own).unwrap();

        insta::assert_snapshot!("new_json_with_hooks", with);
        assert_eq!(without_hooks(&with, &is_own).unwrap().split_whitespace().collect::<String>(), "{}");
        assert_eq!(without_hooks("", &is_own).unwrap(), "");
    }

    #[test]
    fn other_flags_replace_the_command_and_doubled_hooks_are_removed() {
        let with = with_hooks(OTHERS, &wanted("reflect hook codex"), &is_own).unwrap();
        let doubled = with.replace("say done", "reflect hook codex --old");
        let changed = with_hooks(&doubled, &wanted("reflect hook codex --project p"), &is_own).unwrap();

        let found = hooks(&changed, &is_own).unwrap();
        assert_eq!(found.len(), 2, "{changed}");
        assert!(found.iter().all(|hook| hook.command.ends_with("--project p")), "{changed}");
    }

    #[test]
    fn comments_stay_and_a_file_that_is_not_understood_is_not_changed() {
        let text = "{\n  // mine\n  \"a\": 1,\n}\n";
        let with = with_hooks(text, &wanted("reflect hook codex"), &is_own).unwrap();
        assert!(with.contains("// mine"), "{with}");
        for broken in ["[]", "{", r#"{"hooks": []}"#, r#"{"hooks": {"Stop": {}}}"#, "null"] {
            assert!(with_hooks(broken, &wanted("reflect hook codex"), &is_own).is_err(), "{broken}");
        }
    }
}
