//! The environment variables these commands listen to.
//!
//! The one place of this crate that reads the environment, so that the list stays short and findable.

use anyhow::{Context, Result};

/// The folder that holds what `setup` installs.
pub(crate) const CACHE: &str = "REFLECT_CACHE";
/// The port of the development cluster.
pub(crate) const DB_PORT: &str = "REFLECT_DB_PORT";
/// The folders of programs.
pub(crate) const PROGRAMS: &str = "PATH";

/// The value of a variable; an empty one counts as absent, as in a shell's `${NAME:-default}`.
#[expect(clippy::disallowed_methods, reason = "this module is where the tool reads its environment")]
pub(crate) fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The port of the development cluster, unless a command line says otherwise.
pub(crate) fn database_port() -> Result<u16> {
    match setting(DB_PORT) {
        Some(text) => text.parse().with_context(|| format!("{DB_PORT}={text} is not a port")),
        // 54329: far from 5432, so that it never meets a Postgres the machine already runs.
        None => Ok(54329),
    }
}
