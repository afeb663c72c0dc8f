//! The environment variables of these commands.
//!
//! No other module of this crate reads the environment.

use anyhow::{Context, Result};

/// The cache folder.
pub(crate) const CACHE: &str = "REFLECT_CACHE";
/// The folder of the development cluster.
pub(crate) const DB_DATA: &str = "REFLECT_DB_DATA";
/// The port of the development cluster.
pub(crate) const DB_PORT: &str = "REFLECT_DB_PORT";
/// The search path of programs.
pub(crate) const PROGRAMS: &str = "PATH";

/// The value of a variable. An empty one counts as absent, as in a shell's `${NAME:-default}`.
#[expect(clippy::disallowed_methods, reason = "this module is where the tool reads its environment")]
pub(crate) fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The port of the development cluster, unless the command line sets one.
pub(crate) fn database_port() -> Result<u16> {
    match setting(DB_PORT) {
        Some(text) => text.parse().with_context(|| format!("{DB_PORT}={text} is not a port")),
        // Different from 5432, which another Postgres on this machine may use.
        None => Ok(54329),
    }
}
