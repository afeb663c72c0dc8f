//! The keys with which stored texts are encrypted.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use clap::Args;
use reflect_store::EncryptionKeys;
use secrecy::SecretString;

/// The bits that let others than the owner read or write a file.
const OTHERS: u32 = 0o077;

/// The keys with which stored texts are encrypted.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct EncryptionConfig {
    /// The file with the keys that encrypt trajectories and feedback, as `reflect encryption key` creates it. The first
    /// key is used for new projects, all keys are used for reading. Every process needs the same keys. Default: texts are
    /// stored as they are.
    #[arg(long, env = "REFLECT_ENCRYPTION_KEY_FILE", value_name = "FILE", help_heading = "Encryption")]
    encryption_key_file: Option<PathBuf>,

    /// A command that prints these keys, for example from a key management service. It runs in a shell at the start.
    #[arg(
        long,
        env = "REFLECT_ENCRYPTION_KEY_COMMAND",
        value_name = "COMMAND",
        help_heading = "Encryption",
        conflicts_with = "encryption_key_file"
    )]
    encryption_key_command: Option<String>,
}

impl EncryptionConfig {
    /// The keys, if encryption is configured.
    pub(crate) fn keys(&self) -> anyhow::Result<Option<EncryptionKeys>> {
        match (&self.encryption_key_file, &self.encryption_key_command) {
            (Some(file), _) => read_keys(file).map(Some),
            (None, Some(command)) => keys_of_command(command).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// A warning if others than the owner of the file can use it.
    pub(crate) fn warning(&self) -> Option<String> {
        let file = self.encryption_key_file.as_deref()?;
        let mode = fs::metadata(file).ok()?.permissions().mode();
        (mode & OTHERS != 0).then(|| {
            format!(
                "other users of this machine can read the encryption keys {0}; run `chmod 600 {0}`",
                file.display()
            )
        })
    }
}

/// Reads a file with keys.
pub(crate) fn read_keys(file: &Path) -> anyhow::Result<EncryptionKeys> {
    let text = fs::read_to_string(file).with_context(|| {
        format!(
            "cannot read the encryption keys {}; create them with `reflect encryption key --file FILE`",
            file.display()
        )
    })?;
    EncryptionKeys::parse(&SecretString::from(text)).with_context(|| format!("cannot use {}", file.display()))
}

/// Errors do not show what the command printed.
fn keys_of_command(command: &str) -> anyhow::Result<EncryptionKeys> {
    let said = "the command of --encryption-key-command";
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = shell.output().with_context(|| format!("{said} cannot be started"))?;
    ensure!(output.status.success(), "{said} failed with {}", output.status);
    let text = String::from_utf8(output.stdout).ok().with_context(|| format!("{said} printed no text"))?;
    EncryptionKeys::parse(&SecretString::from(text))
        .with_context(|| format!("cannot use what {said} printed"))
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[test]
    fn a_command_prints_the_keys() {
        let line = EncryptionKeys::generate().unwrap();
        let line = line.expose_secret().trim();
        let keys = keys_of_command(&format!("echo {line}")).unwrap();
        assert_eq!(keys.ids().len(), 1);
    }

    #[test]
    fn a_command_that_fails_is_reported_without_its_output() {
        let failed = keys_of_command("echo secret; exit 3").unwrap_err();
        assert!(format!("{failed:#}").contains("exit status: 3"), "{failed:#}");
        let nonsense = keys_of_command("echo secret").unwrap_err();
        assert!(format!("{nonsense:#}").contains("line 1 is not an encryption key"), "{nonsense:#}");
        assert!(!format!("{failed:#}{nonsense:#}").contains("secret"));
    }
}
