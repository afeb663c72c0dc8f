//! What the environment says that is no setting of ours: how the terminal is, and where the user's folders are.
//! Settings of Reflect are arguments with a variable, in `config`, `model_config` and `connection`.

use std::path::PathBuf;

/// A variable that says something; an empty one counts as absent.
#[expect(clippy::disallowed_methods, reason = "conventions of terminals and desktops, which are no settings")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A folder for what a program keeps: the variable's, else this one below the user's home.
pub(crate) fn folder(name: &str, below_home: &str) -> Option<PathBuf> {
    let said = variable(name).map(PathBuf::from);
    said.or_else(|| std::env::home_dir().map(|home| home.join(below_home)))
}
