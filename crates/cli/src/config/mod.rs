//! All settings of the server: flag, variable, default and description. docs/CONFIGURATION.md is generated from these
//! structs.

pub(crate) mod audit;
mod database;
pub(crate) mod dev;
pub(crate) mod embedder;
pub(crate) mod encryption;
mod limits;
pub(crate) mod models;
pub(crate) mod oidc;
pub(crate) mod outbound;
mod provider;
mod provider_failure;
pub(crate) mod secret;
mod span_export;
pub(crate) mod tls;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ipnet::IpNet;
use reflect_engine::KeyLifetime;
use reflect_store::MigrationSettings;
use secrecy::{ExposeSecret, SecretString};

use audit::AuditConfig;
pub(crate) use database::DatabaseConfig;
use database::ReplicaConfig;
pub(crate) use encryption::EncryptionConfig;
use limits::LimitsConfig;
use models::{EmbeddingConfig, ReflectionConfig};
use outbound::OutboundConfig;
use secret::secret;
use span_export::SpanExportConfig;
use tls::TlsConfig;

/// The layout of a new database. Used only at the first migration.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "New databases")]
pub(crate) struct LayoutConfig {
    /// The number of hash partitions of the project tables. Use 64 to 128 for a large company.
    #[arg(long, env = "REFLECT_HASH_PARTITIONS", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=128))]
    pub(crate) hash_partitions: u16,

    /// The number of days that one partition of traces covers.
    #[arg(long, env = "REFLECT_PARTITION_DAYS", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=366))]
    pub(crate) partition_days: u16,
}

impl LayoutConfig {
    pub(crate) fn migration_settings(&self, database: &DatabaseConfig) -> MigrationSettings {
        MigrationSettings {
            url: database.direct_url().clone(),
            hash_partitions: self.hash_partitions,
            partition_days: self.partition_days,
        }
    }
}

/// The lifetime of API keys.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Keys")]
pub(crate) struct KeyConfig {
    /// After how many days a new API key expires, if the request does not say. 0: never.
    #[arg(long, env = "REFLECT_KEY_DAYS", default_value_t = 90, value_parser = clap::value_parser!(u32).range(0..=36_500))]
    pub(crate) key_days: u32,

    /// The longest lifetime of a new API key, in days. 0: no limit. Existing keys keep their expiry.
    #[arg(long, env = "REFLECT_KEY_MAX_DAYS", default_value_t = 365, value_parser = clap::value_parser!(u32).range(0..=36_500))]
    pub(crate) key_max_days: u32,
}

impl KeyConfig {
    /// Keys that do not expire, for a server on the developer's machine.
    pub(crate) const UNLIMITED: Self = Self { key_days: 0, key_max_days: 0 };

    pub(crate) const fn lifetime(self) -> KeyLifetime {
        KeyLifetime { default_days: self.key_days, max_days: self.key_max_days }
    }
}

/// The configuration of a server.
#[derive(Debug, Clone, Args)]
pub(crate) struct Config {
    #[command(flatten)]
    pub(crate) database: DatabaseConfig,

    #[command(flatten)]
    pub(crate) replica: ReplicaConfig,

    /// The maximum number of database connections of this process.
    #[arg(long, env = "REFLECT_DATABASE_CONNECTIONS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(12..=1000), help_heading = "Database")]
    pub(crate) database_connections: u32,

    /// Refuse to start if the database user cannot take the restricted role reflect_app. Without the role, row-level
    /// security and the append-only audit log depend on the owner of the tables, and the server only warns.
    #[arg(long, env = "REFLECT_REQUIRE_RESTRICTED_ROLE", help_heading = "Database")]
    pub(crate) require_restricted_role: bool,

    /// Apply missing migrations at start.
    #[arg(long, env = "REFLECT_MIGRATE", help_heading = "Database")]
    pub(crate) migrate: bool,

    /// The address and port to listen on.
    #[arg(long, env = "REFLECT_LISTEN", default_value = "127.0.0.1:8000", value_parser = listen_address, help_heading = "Server")]
    pub(crate) listen: SocketAddr,

    /// The role of this process: answer requests, do background work, or both.
    #[arg(long, env = "REFLECT_ROLE", value_enum, default_value_t = Role::All, help_heading = "Server")]
    pub(crate) role: Role,

    /// The path under which a reverse proxy serves this server, such as /reflect.
    #[arg(long, env = "REFLECT_BASE_PATH", default_value = "", value_parser = base_path, help_heading = "Server")]
    pub(crate) base_path: String,

    /// The reverse proxy removes the base path from the paths that it forwards. Without this, paths must begin with the
    /// base path, except those of /health, /ready, /ready/write and /metrics.
    #[arg(long, env = "REFLECT_BASE_PATH_STRIPPED", help_heading = "Server")]
    pub(crate) base_path_stripped: bool,

    /// The public address of this server, such as https://reflect.example. With https, cookies are sent only over TLS.
    /// Default: links use the address that the server listens on.
    #[arg(long, env = "REFLECT_PUBLIC_URL", value_parser = public_url, help_heading = "Server")]
    pub(crate) public_url: Option<String>,

    #[command(flatten)]
    pub(crate) tls: TlsConfig,

    /// Host names that agents use to reach /mcp, separated by commas, such as reflect,reflect.internal. Not needed for
    /// localhost, for IP addresses and for the host of --public-url.
    #[arg(long, env = "REFLECT_MCP_HOSTS", value_delimiter = ',', value_parser = host_name, help_heading = "Server")]
    pub(crate) mcp_hosts: Vec<String>,

    /// The origins whose pages may send feedback to /v1/feedback, separated by commas, such as https://app.example. * allows
    /// all. Default: none, which lets only programs outside of browsers send it.
    #[arg(long, env = "REFLECT_FEEDBACK_ORIGINS", value_delimiter = ',', value_parser = feedback_origin, help_heading = "Server")]
    pub(crate) feedback_origins: Vec<String>,

    /// The addresses of proxies in front of this server, separated by commas, such as 10.0.0.0/8,127.0.0.1. Only their
    /// X-Forwarded-For header is used. Default: the address of the connection is the client's.
    #[arg(long, env = "REFLECT_TRUSTED_PROXIES", value_delimiter = ',', value_parser = address_range, help_heading = "Server")]
    pub(crate) trusted_proxies: Vec<IpNet>,

    /// A token with which a client can create the first API key, once. At least 16 characters.
    #[arg(long, env = "REFLECT_BOOTSTRAP_TOKEN", hide_env_values = true, value_parser = bootstrap_token, help_heading = "Server")]
    pub(crate) bootstrap_token: Option<SecretString>,

    #[command(flatten)]
    pub(crate) keys: KeyConfig,

    /// How long to keep serving after a stop signal, in seconds. /ready already fails during this time, and a load
    /// balancer can switch to another server.
    #[arg(long, env = "REFLECT_DRAIN_DELAY_SECONDS", default_value_t = 0, help_heading = "Server")]
    pub(crate) drain_delay_seconds: u64,

    /// How long requests in flight may take to finish after a stop signal, in seconds.
    #[arg(long, env = "REFLECT_DRAIN_SECONDS", default_value_t = 20, help_heading = "Server")]
    pub(crate) drain_seconds: u64,

    #[command(flatten)]
    pub(crate) reflection: ReflectionConfig,

    #[command(flatten)]
    pub(crate) embedding: EmbeddingConfig,

    /// The file with the OpenID Connect providers that members can sign in with, in TOML. Needs --public-url. The page
    /// "Sign in with an identity provider" describes it.
    #[arg(long, env = "REFLECT_OIDC_FILE", help_heading = "Sign-in")]
    pub(crate) oidc_file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) outbound: OutboundConfig,

    #[command(flatten)]
    pub(crate) limits: LimitsConfig,

    /// The format of log lines.
    #[arg(long, env = "REFLECT_LOG_FORMAT", value_enum, default_value_t = LogFormat::Json, help_heading = "Logs")]
    pub(crate) log_format: LogFormat,

    /// The log filter: a level, or a list such as info,reflect_store=debug.
    #[arg(long, env = "REFLECT_LOG", default_value = "info", value_parser = log_filter, help_heading = "Logs")]
    pub(crate) log: String,

    #[command(flatten)]
    pub(crate) spans: SpanExportConfig,

    #[command(flatten)]
    pub(crate) audit: AuditConfig,

    #[command(flatten)]
    pub(crate) encryption: EncryptionConfig,

    #[command(flatten)]
    pub(crate) layout: LayoutConfig,

    /// A fault to inject, for tests that must detect it. Not in release builds.
    #[cfg(debug_assertions)]
    #[arg(long, env = "REFLECT_FAULT", value_enum, hide = true)]
    pub(crate) fault: Option<FaultName>,

    /// A defence to switch off, for `just attack`, which must then report the attack. Not in release builds.
    #[cfg(debug_assertions)]
    #[arg(long, env = "REFLECT_WITHOUT_DEFENCE", value_parser = defence, hide = true)]
    pub(crate) without_defence: Option<reflect_types::Defence>,
}

impl Config {
    /// Rejects combinations of settings that cannot work.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.oidc_file.is_some() && self.public_url.is_none() {
            let problem =
                "--oidc-file needs --public-url: identity providers send browsers back to this address";
            return Err(problem.to_owned());
        }
        self.limits.check()
    }
}

/// The role of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// API and background work.
    All,
    /// Answer requests.
    Api,
    /// Background work; answers health checks only.
    Worker,
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// One JSON object per line.
    Json,
    /// Text for people.
    Text,
}

/// The faults that can be injected.
#[cfg(debug_assertions)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FaultName {
    /// Respond before the transaction is committed.
    AckBeforeCommit,
    /// Update utilities after the transaction that writes the ledger.
    UtilityOutsideTransaction,
    /// Remove jobs that were queued again while they ran.
    LoseRepeatedJobs,
    /// Claim the oldest jobs of all projects.
    ClaimOldestJobs,
    /// Link a run without waiting for the receipt that it names.
    NoReceiptWait,
    /// Store runs without looking for signals that wait for them.
    ForgetEarlySignals,
    /// Store OpenTelemetry spans without their own ids.
    StageSpansAgain,
    /// Forget runs of OpenTelemetry spans as soon as they have ended.
    ForgetEndedRuns,
    /// Store events after the transaction that causes them.
    EventsOutsideTransaction,
}

#[cfg(debug_assertions)]
fn defence(text: &str) -> Result<reflect_types::Defence, String> {
    reflect_types::Defence::named(text).ok_or_else(|| format!("no defence has the name {text}"))
}

fn bootstrap_token(text: &str) -> Result<SecretString, String> {
    let token = secret(text)?;
    if token.expose_secret().len() < 16 {
        return Err("must have at least 16 characters; create one with `openssl rand -hex 16`".to_owned());
    }
    Ok(token)
}

fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let wanted = "must be an address and a port, such as 127.0.0.1:8000, 0.0.0.0:8000 or [::1]:8000; names such as \
                  localhost are not accepted";
    text.parse().map_err(|_| wanted.to_owned())
}

/// An unknown level would be parsed as the name of a log target and would silence all other lines.
fn log_filter(text: &str) -> Result<String, String> {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    let is_level = |word: &str| LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word));
    let wrong = text.split(',').map(|part| part.rsplit('=').next().unwrap_or(part).trim());
    match wrong.into_iter().find(|word| !is_level(word)) {
        None => Ok(text.to_owned()),
        Some(word) => Err(format!(
            "{word:?} is not a level; use off, error, warn, info, debug or trace, or a list such as \
             info,reflect_store=debug"
        )),
    }
}

/// Parses an origin: scheme, host and port, without a path.
pub(crate) fn public_url(text: &str) -> Result<String, String> {
    let url = text.trim_end_matches('/');
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains(['/', '?', '#', '@']) && host.is_ascii() => {
            Ok(url.to_ascii_lowercase())
        }
        _ => Err("must be http:// or https:// and a host, without a path; set the path with --base-path"
            .to_owned()),
    }
}

/// Parses an origin, or `*` for all.
fn feedback_origin(text: &str) -> Result<String, String> {
    match text.trim() {
        "*" => Ok("*".to_owned()),
        origin => public_url(origin).map_err(|_| {
            format!(
                "{origin:?} is not an origin such as https://app.example: a scheme and a host, without a path"
            )
        }),
    }
}

/// Parses a host name without a port.
fn host_name(text: &str) -> Result<String, String> {
    let name = text.trim().trim_end_matches('.');
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    if !name.is_empty() && name.chars().all(plain) {
        Ok(name.to_ascii_lowercase())
    } else {
        Err("must be a host name without scheme, port and path".to_owned())
    }
}

/// Parses a range of addresses, or one address.
fn address_range(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let range = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    range.map_err(|_| format!("{text:?} is not an address or a range such as 10.0.0.0/8"))
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
    fn a_weak_bootstrap_token_is_rejected_with_a_fix() {
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
    fn a_log_filter_consists_of_levels() {
        for right in ["info", "DEBUG", "info,reflect_store=debug", "warn,reflect_server::http=trace"] {
            assert_eq!(log_filter(right), Ok(right.to_owned()));
        }
        for wrong in ["verbose", "", "info,reflect_store", "reflect_store=loud"] {
            assert!(log_filter(wrong).unwrap_err().contains("is not a level"), "{wrong}");
        }
    }

    #[test]
    fn the_listen_address_has_a_port() {
        assert!(listen_address("[::1]:8000").is_ok());
        for wrong in ["localhost:8000", "127.0.0.1", "8000", "127.0.0.1:80000"] {
            assert!(listen_address(wrong).unwrap_err().contains("127.0.0.1:8000"), "{wrong}");
        }
    }

    #[test]
    fn a_host_name_has_no_scheme_port_or_path() {
        assert_eq!(host_name("Reflect.internal."), Ok("reflect.internal".to_owned()));
        for wrong in ["", "http://a", "a:8000", "a/b", "*"] {
            assert!(host_name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn feedback_comes_from_origins() {
        assert_eq!(feedback_origin(" https://App.example/"), Ok("https://app.example".to_owned()));
        assert_eq!(feedback_origin("*"), Ok("*".to_owned()));
        assert!(feedback_origin("app.example").unwrap_err().contains("is not an origin"));
    }

    #[test]
    fn a_trusted_proxy_is_an_address_or_a_range() {
        assert_eq!(address_range("127.0.0.1").unwrap().to_string(), "127.0.0.1/32");
        assert_eq!(address_range(" fd00::/8").unwrap().to_string(), "fd00::/8");
        for wrong in ["", "proxy", "10.0.0.0/33"] {
            assert!(address_range(wrong).unwrap_err().contains("10.0.0.0/8"), "{wrong}");
        }
    }

    #[test]
    fn a_base_path_starts_with_a_slash_and_ends_with_none() {
        assert_eq!(base_path("/pre/fix/"), Ok("/pre/fix".to_owned()));
        assert_eq!(base_path("/"), Ok(String::new()));
        assert!(base_path("pre").is_err());
    }
}
