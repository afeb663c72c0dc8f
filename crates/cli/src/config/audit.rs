//! The key that signs the audit log.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use reflect_engine::AuditKey;
use secrecy::SecretString;

/// The bits that let others than the owner read or write a file.
const OTHERS: u32 = 0o077;

/// The key that signs the audit log.
#[derive(Debug, Clone, Args)]
pub(crate) struct AuditConfig {
    /// The file with the key that signs the audit log, as `reflect audit key` creates it. Every worker needs the same file.
    /// Default: the log is chained and not signed, and changes by the owner of the database cannot be detected.
    #[arg(long, env = "REFLECT_AUDIT_KEY_FILE", value_name = "FILE", help_heading = "Audit")]
    pub(crate) audit_key_file: Option<PathBuf>,
}

impl AuditConfig {
    /// The key, if there is a file.
    pub(crate) fn key(&self) -> anyhow::Result<Option<AuditKey>> {
        self.audit_key_file.as_deref().map(read_key).transpose()
    }

    /// A warning if others than the owner of the file can use it.
    pub(crate) fn warning(&self) -> Option<String> {
        let file = self.audit_key_file.as_deref()?;
        let mode = fs::metadata(file).ok()?.permissions().mode();
        (mode & OTHERS != 0).then(|| {
            format!(
                "other users of this machine can read the audit key {0}; run `chmod 600 {0}`",
                file.display()
            )
        })
    }
}

/// Reads a key file.
pub(crate) fn read_key(file: &Path) -> anyhow::Result<AuditKey> {
    let text = fs::read_to_string(file).with_context(|| {
        format!(
            "cannot read the audit key {}; create one with `reflect audit key --file FILE`",
            file.display()
        )
    })?;
    AuditKey::parse(&SecretString::from(text)).with_context(|| format!("cannot use {}", file.display()))
}
