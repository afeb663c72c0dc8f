//! The files of the spool on disk.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use sha2::{Digest, Sha256};

use super::frames::{self, Contents};
use crate::private_file;

/// The files of the Python SDK.
const OF_SDK: &str = "seg";
/// The files of hooks, with one run each. The SDK ignores them: it has other limits, and takes a conflict for a lost run.
const OF_HOOK: &str = "run";
/// The files of hooks that the server has rejected. They are sent again only if a person wants it.
const REFUSED: &str = "refused";
/// The server takes no run that is older, so a rejected one is of no use after this time.
const KEPT_REFUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// A hidden file of this age was left by a process that was killed.
const KEPT_HIDDEN: Duration = Duration::from_secs(60 * 60);

/// One file of the spool.
pub(super) struct Segment {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    /// A running process has it, and will send it.
    pub(super) in_use: bool,
    pub(super) contents: Contents,
    file: File,
}

/// The folder of a destination, named as in the SDK. The API key is not part of the name, because keys change.
pub(super) fn folder_name(base_url: &str, project: &str) -> String {
    let digest = Sha256::digest(format!("{base_url}\0{project}"));
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The folders of all destinations.
pub(super) fn destinations(root: &Path) -> Vec<PathBuf> {
    sorted(root, |path| path.is_dir() && !path.is_symlink())
}

/// Creates the folder of a destination. Only its user can read it.
pub(super) fn create_private(folder: &Path) -> anyhow::Result<()> {
    let created = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    created.with_context(|| format!("cannot create {}", folder.display()))
}

/// Writes a file with one run. Other processes see it when it is complete.
pub(super) fn write_segment(folder: &Path, segment: &[u8], name: &str) -> anyhow::Result<()> {
    let hidden = folder.join(format!(".{name}.new"));
    let written = || -> std::io::Result<()> {
        let mut file = private_file::create(&hidden)?;
        file.write_all(segment)?;
        file.sync_all()?;
        std::fs::rename(&hidden, folder.join(format!("{name}.{OF_HOOK}")))
    };
    written().with_context(|| format!("cannot write {}", hidden.display()))
}

/// The size of the files of hooks that wait, in bytes.
pub(super) fn size_of_hooks(folder: &Path) -> u64 {
    let files = sorted(folder, |path| has_extension(path, &[OF_HOOK]));
    files.iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len())).sum()
}

/// Removes rejected files that are too old, and those that a process left incomplete.
pub(super) fn clean(folder: &Path, now: SystemTime) {
    for path in sorted(folder, |path| has_extension(path, &[REFUSED, "new"])) {
        let kept = if has_extension(&path, &[REFUSED]) { KEPT_REFUSED } else { KEPT_HIDDEN };
        let changed = std::fs::metadata(&path).and_then(|found| found.modified());
        if changed.is_ok_and(|changed| now.duration_since(changed).is_ok_and(|age| age > kept)) {
            // Another process may remove it too.
            let _ = std::fs::remove_file(&path);
        }
    }
}

/// The files of a destination, oldest first. Each is opened, and locked if no process uses it, when it is reached: hooks write a
/// file for each run, and a process may not open as many files as can wait.
pub(super) fn segments(folder: &Path) -> impl Iterator<Item = anyhow::Result<Segment>> + use<> {
    opened(folder, &[OF_SDK, OF_HOOK, REFUSED])
}

/// Like [`segments`], without those that the server has rejected.
pub(super) fn not_refused(folder: &Path) -> impl Iterator<Item = anyhow::Result<Segment>> + use<> {
    opened(folder, &[OF_SDK, OF_HOOK])
}

fn opened(folder: &Path, extensions: &[&str]) -> impl Iterator<Item = anyhow::Result<Segment>> + use<> {
    let paths = sorted(folder, |path| has_extension(path, extensions));
    paths.into_iter().filter_map(|path| open(path).transpose())
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|own| extensions.iter().any(|extension| own == *extension))
}

/// `None` if its owner has removed it.
fn open(path: PathBuf) -> anyhow::Result<Option<Segment>> {
    let opened = OpenOptions::new().read(true).append(true).open(&path);
    let mut file = match opened {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        opened => opened.with_context(|| format!("cannot read {}", path.display()))?,
    };
    let in_use = match file.try_lock() {
        Ok(()) => false,
        Err(TryLockError::WouldBlock) => true,
        Err(TryLockError::Error(error)) => return Err(error).context("cannot lock a spool file"),
    };
    // Between opening and locking, another process may have sent its runs, or moved them to another destination.
    let links = file.metadata().with_context(|| format!("cannot read {}", path.display()))?.nlink();
    if !in_use && links == 0 {
        return Ok(None);
    }
    let mut data = Vec::new();
    file.read_to_end(&mut data).with_context(|| format!("cannot read {}", path.display()))?;
    let bytes = data.len() as u64;
    Ok(Some(Segment { path, bytes, in_use, contents: frames::read(&data), file }))
}

impl Segment {
    /// Whether a hook wrote it. The id of a run in it is computed from the session, so a conflict says that the run is stored.
    pub(super) fn is_of_hook(&self) -> bool {
        has_extension(&self.path, &[OF_HOOK, REFUSED])
    }

    /// Whether the server has rejected it.
    pub(super) fn is_refused(&self) -> bool {
        has_extension(&self.path, &[REFUSED])
    }

    /// Keeps a file that the server has rejected from being sent again.
    pub(super) fn set_aside(&mut self) -> anyhow::Result<()> {
        let aside = self.path.with_extension(REFUSED);
        std::fs::rename(&self.path, &aside)
            .with_context(|| format!("cannot rename {}", self.path.display()))?;
        self.path = aside;
        Ok(())
    }

    /// Records what the server has stored, or removes the file if it is empty then.
    pub(super) fn acknowledge(&mut self, arrived: &[u64]) -> anyhow::Result<()> {
        if arrived.is_empty() {
            return Ok(());
        }
        self.contents.waiting.retain(|record| !arrived.contains(&record.offset));
        if self.contents.waiting.is_empty() {
            return self.remove();
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let frame = frames::acknowledgement(arrived, u64::try_from(now.as_millis()).unwrap_or(u64::MAX));
        self.file.seek(std::io::SeekFrom::End(0))?;
        self.file.write_all(&frame).with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Removes the file with everything in it.
    pub(super) fn remove(&self) -> anyhow::Result<()> {
        std::fs::remove_file(&self.path).with_context(|| format!("cannot remove {}", self.path.display()))
    }

    /// Moves the file into the folder of another destination. It is a new file there: a process that has just opened the old
    /// one then sees that it was removed, and does not send its runs.
    pub(super) fn move_to(&self, folder: &Path) -> anyhow::Result<()> {
        let name = self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let (hidden, target) = (folder.join(format!(".{name}.new")), folder.join(&name));
        anyhow::ensure!(!target.exists(), "{} already exists", target.display());
        let copied = || -> std::io::Result<()> {
            std::fs::copy(&self.path, &hidden)?;
            File::open(&hidden)?.sync_all()?;
            std::fs::rename(&hidden, &target)
        };
        copied().with_context(|| format!("cannot move {}", self.path.display()))?;
        self.remove()
    }

    /// How long the oldest run in it has waited.
    pub(super) fn oldest(&self) -> Option<Duration> {
        let written = self.contents.waiting.iter().map(|record| record.written_ms).min()?;
        let written = SystemTime::UNIX_EPOCH + Duration::from_millis(written);
        Some(SystemTime::now().duration_since(written).unwrap_or_default())
    }
}

fn sorted(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| wanted(path));
    let mut paths: Vec<PathBuf> = paths.collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejected_run_is_kept_aside_until_the_server_would_not_take_it_for_its_age() {
        let folder = std::env::temp_dir().join(format!("reflect-rejected-{}", uuid::Uuid::now_v7()));
        create_private(&folder).unwrap();
        write_segment(&folder, &frames::file_of("a", b"{1}", 7).unwrap(), "1").unwrap();
        let counts = || (segments(&folder).count(), not_refused(&folder).count());
        assert_eq!((counts(), size_of_hooks(&folder) > 0), ((1, 1), true));

        let mut segment = segments(&folder).next().unwrap().unwrap();
        segment.set_aside().unwrap();
        assert!(segment.is_refused() && segment.is_of_hook());
        drop(segment);

        assert_eq!((counts(), size_of_hooks(&folder)), ((1, 0), 0));
        let day = Duration::from_secs(24 * 60 * 60);
        clean(&folder, SystemTime::now() + 29 * day);
        assert_eq!(counts(), (1, 0));
        clean(&folder, SystemTime::now() + 31 * day);
        assert_eq!(counts(), (0, 0));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_destination_has_the_folder_that_the_sdk_gives_it() {
        // hashlib.sha256(b"http://localhost:8000\0default").hexdigest()[:32]
        let name = folder_name("http://localhost:8000", "default");
        assert_eq!(name, "edeef96cd4b730739caa6e24b05279c0");
    }
}
