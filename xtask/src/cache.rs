//! The cache folder outside the repository with what `setup` installs, and the stamps of its parts.
//!
//! A stamp is written last, so a part with a stamp is complete. `setup` defines the parts.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{process, settings};

/// The cache folder.
pub(crate) struct Cache {
    root: PathBuf,
}

/// The stamp of an installed part.
pub(crate) struct Stamp {
    /// The package and version of the part.
    pub(crate) source: String,
    /// What was installed, for people.
    pub(crate) versions: String,
}

impl Cache {
    /// Finds the cache folder. Does not create it.
    pub(crate) fn locate() -> Result<Self> {
        let as_root = effective_uid()? == 0;
        let root = choose(as_root, settings::setting)?;
        Ok(Self { root: std::path::absolute(root)? })
    }

    /// A cache in this folder.
    #[cfg(test)]
    pub(crate) fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Takes an exclusive lock, which is held until the returned file is dropped. Two commands that start at the same
    /// time do not build the same part twice.
    pub(crate) fn lock(&self, name: &str) -> Result<File> {
        create_open_folder(&self.root)?;
        let path = self.path(name);
        let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
        file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
        Ok(file)
    }

    /// The stamp of a part, if the part is complete.
    pub(crate) fn stamp(&self, part: &str) -> Option<Stamp> {
        let text = fs::read_to_string(self.stamp_path(part)).ok()?;
        let (source, versions) = text.trim_end().split_once('\n')?;
        Some(Stamp { source: source.to_owned(), versions: versions.to_owned() })
    }

    /// Marks a part as complete. Written to another file and renamed, so that a stamp is never incomplete.
    pub(crate) fn write_stamp(&self, part: &str, stamp: &Stamp) -> Result<()> {
        let path = self.stamp_path(part);
        create_open_folder(path.parent().context("a stamp lies in a folder")?)?;
        let aside = path.with_extension("partial");
        fs::write(&aside, format!("{}\n{}\n", stamp.source, stamp.versions))?;
        fs::rename(&aside, &path).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Removes the stamp of a part before its folder changes.
    pub(crate) fn remove_stamp(&self, part: &str) -> Result<()> {
        match fs::remove_file(self.stamp_path(part)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn stamp_path(&self, part: &str) -> PathBuf {
        self.root.join("stamps").join(part)
    }
}

/// The effective user id. Read from `id`, because the standard library has no call for it.
pub(crate) fn effective_uid() -> Result<u32> {
    let text = process::output_of(Command::new("id").arg("-u"))?;
    text.parse().with_context(|| format!("`id -u` answered {text}"))
}

/// Creates a folder that other users may enter, regardless of the umask: the database's user must reach its programs.
pub(crate) fn create_open_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        create_open_folder(parent)?;
    }
    match fs::create_dir(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            let hint =
                format!("cannot create {}; set {} to another folder", folder.display(), settings::CACHE);
            Err(error).context(hint)
        }
        _ => Ok(fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?),
    }
}

/// The user that Postgres runs as cannot enter root's home, so root uses a system folder.
fn choose(as_root: bool, setting: impl Fn(&str) -> Option<String>) -> Result<PathBuf> {
    if let Some(folder) = setting(settings::CACHE) {
        return Ok(folder.into());
    }
    if as_root {
        return Ok("/var/cache/reflect".into());
    }
    if let Some(folder) = setting("XDG_CACHE_HOME") {
        return Ok(Path::new(&folder).join("reflect"));
    }
    let home = setting("HOME").with_context(|| format!("HOME is not set; set {}", settings::CACHE))?;
    Ok(Path::new(&home).join(".cache/reflect"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(as_root: bool, variables: &[(&str, &str)]) -> String {
        let setting = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        choose(as_root, setting).unwrap().display().to_string()
    }

    #[test]
    fn the_variable_has_priority() {
        let variables = [("REFLECT_CACHE", "/big/disk"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];

        assert_eq!(chosen(true, &variables), "/big/disk");
        assert_eq!(chosen(false, &variables), "/big/disk");
    }

    #[test]
    fn root_uses_a_system_folder_and_other_users_their_own() {
        assert_eq!(chosen(true, &[("HOME", "/closed"), ("XDG_CACHE_HOME", "/x")]), "/var/cache/reflect");
        assert_eq!(chosen(false, &[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")]), "/x/reflect");
        assert_eq!(chosen(false, &[("HOME", "/h")]), "/h/.cache/reflect");
    }
}
