//! Every setting: its flag, its variable, its default and its meaning, in one place. The page
//! docs/CONFIGURATION.md is made from these structs.

use std::net::SocketAddr;

use clap::{Args, ValueEnum};
use secrecy::{ExposeSecret, SecretString};

use crate::model_config::{EmbeddingConfig, ReflectionConfig};

/// What every command that touches data needs.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Database")]
pub(crate) struct DatabaseConfig {
    /// Postgres 15 or newer with pgvector 0.8.4 or newer. Connections take a restricted role by
    /// themselves, so one URL is enough.
    #[arg(long, env = "REFLECT_DATABASE_URL", hide_env_values = true, value_parser = secret)]
    pub(crate) database_url: SecretString,
}

/// How a new database is laid out. Read at its first migration and never again.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "New databases")]
pub(crate) struct LayoutConfig {
    /// Into how many parts the tables of projects are split; 64 to 128 for a whole company.
    #[arg(long, env = "REFLECT_HASH_PARTITIONS", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=128))]
    pub(crate) hash_partitions: u16,

    /// How many days one partition of traces covers.
    #[arg(long, env = "REFLECT_PARTITION_DAYS", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=366))]
    pub(crate) partition_days: u16,
}

/// The configuration of a server.
#[derive(Debug, Clone, Args)]
pub(crate) struct Config {
    #[command(flatten)]
    pub(crate) database: DatabaseConfig,

    /// The most database connections this process opens.
    #[arg(long, env = "REFLECT_DATABASE_CONNECTIONS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(6..=1000), help_heading = "Database")]
    pub(crate) database_connections: u32,

    /// Apply missing migrations before serving.
    #[arg(long, env = "REFLECT_MIGRATE", help_heading = "Database")]
    pub(crate) migrate: bool,

    /// Where to listen.
    #[arg(long, env = "REFLECT_LISTEN", default_value = "127.0.0.1:8000", value_parser = listen_address, help_heading = "Server")]
    pub(crate) listen: SocketAddr,

    /// What this process does: answer requests, work in the background, or both.
    #[arg(long, env = "REFLECT_ROLE", value_enum, default_value_t = Role::All, help_heading = "Server")]
    pub(crate) role: Role,

    /// The path under which a reverse proxy shows this server, such as /reflect.
    #[arg(long, env = "REFLECT_BASE_PATH", default_value = "", value_parser = base_path, help_heading = "Server")]
    pub(crate) base_path: String,

    /// The address under which people see this server, such as https://reflect.example. With https, cookies are
    /// for TLS alone. Without it, links begin with the address that the server listens on.
    #[arg(long, env = "REFLECT_PUBLIC_URL", value_parser = public_url, help_heading = "Server")]
    pub(crate) public_url: Option<String>,

    /// Names by which agents reach the tools at /mcp, separated by commas, such as reflect,reflect.internal. Not needed
    /// for localhost, for addresses and for the host of --public-url.
    #[arg(long, env = "REFLECT_MCP_HOSTS", value_delimiter = ',', value_parser = host_name, help_heading = "Server")]
    pub(crate) mcp_hosts: Vec<String>,

    /// Lets whoever knows it make the first key, once. At least 16 characters.
    #[arg(long, env = "REFLECT_BOOTSTRAP_TOKEN", hide_env_values = true, value_parser = bootstrap_token, help_heading = "Server")]
    pub(crate) bootstrap_token: Option<SecretString>,

    /// How long to go on serving after being told to stop, with /ready already saying no, so that a
    /// load balancer has time to look elsewhere.
    #[arg(long, env = "REFLECT_DRAIN_DELAY_SECONDS", default_value_t = 0, help_heading = "Server")]
    pub(crate) drain_delay_seconds: u64,

    /// How long requests under way may take to finish when the process is told to stop.
    #[arg(long, env = "REFLECT_DRAIN_SECONDS", default_value_t = 20, help_heading = "Server")]
    pub(crate) drain_seconds: u64,

    #[command(flatten)]
    pub(crate) reflection: ReflectionConfig,

    #[command(flatten)]
    pub(crate) embedding: EmbeddingConfig,

    /// The most requests worked on at one time; more are sent away with a time to come back.
    #[arg(long, env = "REFLECT_MAX_REQUESTS", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = "Limits")]
    pub(crate) max_requests: u32,

    /// The largest request body after decompression, in megabytes.
    #[arg(long, env = "REFLECT_MAX_BODY_MB", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Limits")]
    pub(crate) max_body_mb: u16,

    /// The most memory for request bodies at one time, in megabytes.
    #[arg(long, env = "REFLECT_MAX_BUFFERED_MB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_000_000), help_heading = "Limits")]
    pub(crate) max_buffered_mb: u32,

    /// How long a request may take, in seconds.
    #[arg(long, env = "REFLECT_REQUEST_SECONDS", default_value_t = 30, help_heading = "Limits")]
    pub(crate) request_seconds: u64,

    /// How log lines look.
    #[arg(long, env = "REFLECT_LOG_FORMAT", value_enum, default_value_t = LogFormat::Json, help_heading = "Logs")]
    pub(crate) log_format: LogFormat,

    /// What is logged: a level, or a list such as info,reflect_store=debug.
    #[arg(long, env = "REFLECT_LOG", default_value = "info", value_parser = log_filter, help_heading = "Logs")]
    pub(crate) log: String,

    #[command(flatten)]
    pub(crate) layout: LayoutConfig,

    /// A fault to build in, for the runs that prove it would be noticed.
    #[cfg(feature = "faults")]
    #[arg(long, env = "REFLECT_FAULT", value_enum, hide = true)]
    pub(crate) fault: Option<FaultName>,
}

impl Config {
    /// Refuses settings that are right one by one and wrong together.
    pub(crate) fn check(&self) -> Result<(), String> {
        if u32::from(self.max_body_mb) > self.max_buffered_mb {
            return Err(format!(
                "--max-buffered-mb ({}) must not be smaller than --max-body-mb ({}), or the largest body never fits",
                self.max_buffered_mb, self.max_body_mb
            ));
        }
        Ok(())
    }
}

/// What a process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// Both.
    All,
    /// Answers requests.
    Api,
    /// Works in the background; answers probes only.
    Worker,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// One JSON object a line.
    Json,
    /// For people.
    Text,
}

/// The faults that can be built in.
#[cfg(feature = "faults")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FaultName {
    /// Answers before the transaction is committed.
    AckBeforeCommit,
    /// Moves utilities after the transaction that entered them into the ledger.
    UtilityOutsideTransaction,
}

pub(crate) fn secret(text: &str) -> Result<SecretString, String> {
    if text.is_empty() { Err("must not be empty".to_owned()) } else { Ok(text.to_owned().into()) }
}

fn bootstrap_token(text: &str) -> Result<SecretString, String> {
    let token = secret(text)?;
    if token.expose_secret().len() < 16 {
        return Err("must have at least 16 characters; `openssl rand -hex 16` makes one".to_owned());
    }
    Ok(token)
}

fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let wanted = "must be an address and a port, such as 127.0.0.1:8000, 0.0.0.0:8000 or [::1]:8000; names such as \
                  localhost are not taken";
    text.parse().map_err(|_| wanted.to_owned())
}

/// A word that is no level would be read as the name of a target, and nothing would be logged but its lines.
fn log_filter(text: &str) -> Result<String, String> {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    let is_level = |word: &str| LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word));
    let wrong = text.split(',').map(|part| part.rsplit('=').next().unwrap_or(part).trim());
    match wrong.into_iter().find(|word| !is_level(word)) {
        None => Ok(text.to_owned()),
        Some(word) => Err(format!(
            "{word:?} is no level: choose off, error, warn, info, debug or trace, or a list such as \
             info,reflect_store=debug"
        )),
    }
}

/// An origin: what browsers name as such, without a path.
pub(crate) fn public_url(text: &str) -> Result<String, String> {
    let url = text.trim_end_matches('/');
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains(['/', '?', '#', '@']) && host.is_ascii() => {
            Ok(url.to_ascii_lowercase())
        }
        _ => Err("must be http:// or https:// and a host, without a path; --base-path takes one".to_owned()),
    }
}

/// A name alone: which port it is reached by makes no difference.
fn host_name(text: &str) -> Result<String, String> {
    let name = text.trim().trim_end_matches('.');
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    if !name.is_empty() && name.chars().all(plain) {
        Ok(name.to_ascii_lowercase())
    } else {
        Err("must be a host's name, without scheme, port and path".to_owned())
    }
}

pub(crate) fn base_path(text: &str) -> Result<String, String> {
    let path = text.trim_end_matches('/');
    if path.is_empty() || path.starts_with('/') {
        Ok(path.to_owned())
    } else {
        Err("must start with a slash".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weak_bootstrap_token_is_refused_with_a_way_out() {
        assert!(bootstrap_token("changeme").unwrap_err().contains("openssl"));
        assert!(bootstrap_token("0123456789abcdef").is_ok());
    }

    #[test]
    fn a_public_url_is_an_origin() {
        assert_eq!(public_url("https://Reflect.example/"), Ok("https://reflect.example".to_owned()));
        assert_eq!(public_url("http://127.0.0.1:8000"), Ok("http://127.0.0.1:8000".to_owned()));
        for wrong in ["reflect.example", "https://", "https://a/b", "ftp://a", "https://a?b"] {
            assert!(public_url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_logged_is_said_by_levels() {
        for right in ["info", "DEBUG", "info,reflect_store=debug", "warn,reflect_server::http=trace"] {
            assert_eq!(log_filter(right), Ok(right.to_owned()));
        }
        for wrong in ["verbose", "", "info,reflect_store", "reflect_store=loud"] {
            assert!(log_filter(wrong).unwrap_err().contains("is no level"), "{wrong}");
        }
    }

    #[test]
    fn where_to_listen_is_an_address_with_a_port() {
        assert!(listen_address("[::1]:8000").is_ok());
        for wrong in ["localhost:8000", "127.0.0.1", "8000", "127.0.0.1:80000"] {
            assert!(listen_address(wrong).unwrap_err().contains("127.0.0.1:8000"), "{wrong}");
        }
    }

    #[test]
    fn a_host_name_is_a_name_alone() {
        assert_eq!(host_name("Reflect.internal."), Ok("reflect.internal".to_owned()));
        for wrong in ["", "http://a", "a:8000", "a/b", "*"] {
            assert!(host_name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_base_path_starts_with_a_slash_and_ends_with_none() {
        assert_eq!(base_path("/pre/fix/"), Ok("/pre/fix".to_owned()));
        assert_eq!(base_path("/"), Ok(String::new()));
        assert!(base_path("pre").is_err());
    }
}
