//! `reflect encryption key`: a file with encryption keys.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use reflect_store::EncryptionKeys;
use serde_json::json;

use crate::config::encryption::read_keys;
use crate::output::Output;
use crate::private_file;

/// Create a key, or add a new first key to a file. Without --add, an existing file is not changed.
#[derive(Debug, Args)]
pub(crate) struct Key {
    /// The file of the keys. Only its owner can read it.
    #[arg(long, value_name = "FILE", env = "REFLECT_ENCRYPTION_KEY_FILE")]
    file: PathBuf,
    /// Put a new key before the existing ones, for a rotation.
    #[arg(long)]
    add: bool,
}

pub(super) fn run(arguments: &Key, output: &Output) -> anyhow::Result<()> {
    let file = &arguments.file;
    let created = if arguments.add { add(file).map(|()| true)? } else { create(file)? };
    let keys = read_keys(file)?;
    let said = if created { "Created a key in" } else { "Found" };
    output.say(&format!("{said} {}. Keep a copy: without it, encrypted texts are lost.", file.display()));
    let item = json!({ "file": file.display().to_string(), "created": created, "keys": keys.ids() });
    output.item("encryption.key/1", &item, || keys.ids().join("\n"))?;
    if created {
        output.next(&format!("reflect serve --encryption-key-file {}", file.display()));
    }
    Ok(())
}

/// Returns false if there is a file.
fn create(file: &Path) -> anyhow::Result<bool> {
    private_file::create_secret(file, &EncryptionKeys::generate()?)
}

/// Replaces the file in one step, so a crash leaves the old or the new one.
fn add(file: &Path) -> anyhow::Result<()> {
    read_keys(file)?;
    let old = fs::read(file)?;
    let mut name = file.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let created = create(&new)?;
    anyhow::ensure!(created, "{} exists; remove it if no other command is running", new.display());
    let mut opened = OpenOptions::new().append(true).open(&new)?;
    opened.write_all(&old)?;
    opened.sync_all()?;
    fs::rename(&new, file).with_context(|| format!("cannot replace {}", file.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_is_created_once_and_a_new_key_comes_first() {
        let folder = std::env::temp_dir().join(format!("reflect-encryption-key-{}", uuid::Uuid::now_v7()));
        fs::create_dir(&folder).unwrap();
        let file = folder.join("keys");
        assert!(add(&file).is_err());
        assert!(create(&file).unwrap());
        let first = read_keys(&file).unwrap().ids()[0].to_owned();
        assert!(!create(&file).unwrap());
        add(&file).unwrap();
        let both = read_keys(&file).unwrap();
        assert_eq!((both.ids().len(), both.ids()[1]), (2, first.as_str()));
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        fs::remove_dir_all(folder).unwrap();
    }
}
