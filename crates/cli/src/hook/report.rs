//! What a hook tells people. Only on stderr: an agent passes the text on stdout to its model.

use std::io::Write;

use crate::failure::Failure;

/// What is wrong, and what to do.
pub(super) fn reason(error: &anyhow::Error) -> String {
    let Failure { message, fix, .. } = Failure::of(error);
    fix.map_or_else(|| message.clone(), |fix| format!("{message}; {fix}"))
}

/// A message on stderr. Write errors are ignored.
pub(super) fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "reflect hook: {text}");
}
