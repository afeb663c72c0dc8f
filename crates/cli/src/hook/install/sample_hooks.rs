//! Hooks for the tests of both kinds of settings files.

use super::HookEntry;

pub(super) fn wanted(command: &str) -> [HookEntry; 2] {
    ["UserPromptSubmit", "Stop"].map(|event| HookEntry {
        event: event.to_owned(),
        command: command.to_owned(),
        timeout: 5,
    })
}

pub(super) fn is_own(command: &str) -> bool {
    command.starts_with("reflect hook")
}
