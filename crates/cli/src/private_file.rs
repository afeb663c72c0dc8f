//! Files and folders that only their owner can read. The mode is set when they are created, so others cannot open them even
//! for a short time, whatever the umask.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use anyhow::Context;
use reflect_types::Defence;
use secrecy::{ExposeSecret, SecretString};

/// Creates a file that must not exist. A symbolic link counts as existing.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mode = if Defence::ExportMode.is_on() { 0o600 } else { 0o666 };
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

/// Writes a secret into a new file. Returns false if there is a file, which is not changed.
pub(crate) fn create_secret(path: &Path, secret: &SecretString) -> anyhow::Result<bool> {
    let mut file = match create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        created => created.with_context(|| format!("cannot create {}", path.display()))?,
    };
    file.write_all(secret.expose_secret().as_bytes())?;
    file.sync_all()?;
    Ok(true)
}

/// Creates a folder and its missing parents.
pub(crate) fn create_folders(path: &Path) -> io::Result<()> {
    let mode = if Defence::ExportMode.is_on() { 0o700 } else { 0o777 };
    DirBuilder::new().recursive(true).mode(mode).create(path)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_the_owner_can_read_what_is_created() {
        let folder = std::env::temp_dir().join(format!("private-{}", uuid::Uuid::now_v7()));
        let inner = folder.join("pack");
        create_folders(&inner).unwrap();
        let file = inner.join("manifest.json");
        create(&file).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode(&folder), mode(&inner), mode(&file)], [0o700, 0o700, 0o600]);
        assert!(create(&file).is_err());
        std::os::unix::fs::symlink(&file, inner.join("link")).unwrap();
        assert!(create(&inner.join("link")).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
