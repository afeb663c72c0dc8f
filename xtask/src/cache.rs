//! The folder outside the repository that holds what `setup` installs, and the stamps that say what is there.
//!
//! A stamp is written last, so a part with a stamp is whole. What the parts are is `setup`'s business.

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

/// What is known of an installed part.
pub(crate) struct Stamp {
    /// Package and version it was made from.
    pub(crate) source: String,
    /// What it turned out to be, for people.
    pub(crate) versions: String,
}

impl Cache {
    /// Finds the cache folder; does not create it.
    pub(crate) fn locate() -> Result<Self> {
        let as_root = effective_uid()? == 0;
        let root = choose(as_root, settings::setting)?;
        Ok(Self { root: std::path::absolute(root)? })
    }

    /// A cache in a folder of one's choice.
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

    /// Takes an exclusive lock that lasts as long as the returned file lives, so that two commands
    /// started at once do not build the same thing twice.
    pub(crate) fn lock(&self, name: &str) -> Result<File> {
        create_open_folder(&self.root)?;
        let path = self.path(name);
        let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
        file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
        Ok(file)
    }

    /// The stamp of a part, if the part was ever finished.
    pub(crate) fn stamp(&self, part: &str) -> Option<Stamp> {
        let text = fs::read_to_string(self.stamp_path(part)).ok()?;
        let (source, versions) = text.trim_end().split_once('\n')?;
        Some(Stamp { source: source.to_owned(), versions: versions.to_owned() })
    }

    /// Marks a part as whole. Written aside and renamed, so that a stamp is never half a stamp.
    pub(crate) fn write_stamp(&self, part: &str, stamp: &Stamp) -> Result<()> {
        let path = self.stamp_path(part);
        create_open_folder(path.parent().context("a stamp lies in a folder")?)?;
        let aside = path.with_extension("partial");
        fs::write(&aside, format!("{}\n{}\n", stamp.source, stamp.versions))?;
        fs::rename(&aside, &path).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Forgets a part before its folder is touched.
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

/// The user these commands run as. Asked of `id`, because the standard library does not say.
pub(crate) fn effective_uid() -> Result<u32> {
    let text = process::output_of(Command::new("id").arg("-u"))?;
    text.parse().with_context(|| format!("`id -u` answered {text}"))
}

/// Creates a folder that others may enter whatever the umask says: the database's user must reach its programs.
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

/// Root's home is closed to the user that Postgres runs as, so root gets a folder of the system.
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
    fn the_variable_wins_over_everything() {
        let variables = [("REFLECT_CACHE", "/big/disk"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];

        assert_eq!(chosen(true, &variables), "/big/disk");
        assert_eq!(chosen(false, &variables), "/big/disk");
    }

    #[test]
    fn root_shares_a_folder_of_the_system_and_others_keep_their_own() {
        assert_eq!(chosen(true, &[("HOME", "/closed"), ("XDG_CACHE_HOME", "/x")]), "/var/cache/reflect");
        assert_eq!(chosen(false, &[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")]), "/x/reflect");
        assert_eq!(chosen(false, &[("HOME", "/h")]), "/h/.cache/reflect");
    }
}
