//! `reflect audit key`: the key that signs the audit log.

use std::path::{Path, PathBuf};

use clap::Args;
use reflect_engine::AuditKey;
use serde_json::json;

use crate::config::audit::read_key;
use crate::output::Output;
use crate::private_file;

/// Create the key that signs the log, and print its public part. An existing file is not changed.
#[derive(Debug, Args)]
pub(super) struct Key {
    /// The file of the key. Only its owner can read it.
    #[arg(long, value_name = "FILE", env = "REFLECT_AUDIT_KEY_FILE")]
    file: PathBuf,
}

pub(super) fn run(arguments: &Key, output: &Output) -> anyhow::Result<()> {
    let file = &arguments.file;
    let created = create(file)?;
    let public = read_key(file)?.public().to_string();
    let said = if created { "Created" } else { "Found" };
    output.say(&format!("{said} the audit key {}. Its public part verifies the log:", file.display()));
    let item = json!({ "file": file.display().to_string(), "created": created, "public_key": public });
    output.item("audit.key/1", &item, || public.clone())?;
    if created {
        output.next(&format!("reflect serve --audit-key-file {}", file.display()));
    }
    Ok(())
}

/// Returns false if there is a file.
fn create(file: &Path) -> anyhow::Result<bool> {
    private_file::create_secret(file, &AuditKey::generate()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_key_file_is_created_once_and_readable_by_its_owner_only() {
        let folder = std::env::temp_dir().join(format!("reflect-audit-key-{}", uuid::Uuid::now_v7()));
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("key");
        assert!(create(&file).unwrap());
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let first = read_key(&file).unwrap().public().to_string();
        assert!(!create(&file).unwrap());
        assert_eq!(read_key(&file).unwrap().public().to_string(), first);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
