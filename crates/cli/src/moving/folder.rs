//! The folder of a pack. Files are written atomically: under another name, synced, and then renamed. Only their owner can
//! read them, and no name and no link in a pack leads out of its folder.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use reflect_engine::moving::{
    Journal, JournalStart, Manifest, PackPart, PartNote, file_digest, is_inside_pack,
};
use reflect_types::{CrashPoint, Defence};

use super::encryption::{ENCRYPTED, Identities, Recipients};
use crate::failure::{Failure, Kind};
use crate::private_file;

const MANIFEST: &str = "manifest.json";
const JOURNAL: &str = "journal.jsonl";
const LOCK: &str = "export.lock";
/// The suffix of a file that is being written.
const UNFINISHED: &str = ".unfinished";

/// The folder of a pack.
pub(crate) struct PackFolder {
    root: PathBuf,
    /// The public keys that written files are encrypted for.
    pub(super) recipients: Recipients,
    /// The keys to read encrypted files.
    identities: Identities,
}

impl PackFolder {
    /// Opens a folder to read its pack.
    pub(crate) fn open(root: &Path, identities: Identities) -> anyhow::Result<Self> {
        if !root.is_dir() {
            let message = format!("{} is not a folder", root.display());
            return Err(Failure::new(Kind::Local, "no_folder", message)
                .fix("use the folder that `reflect export --to` wrote")
                .into());
        }
        Ok(Self { root: root.to_owned(), recipients: Recipients::default(), identities })
    }

    /// Opens or creates a folder to write a pack.
    pub(crate) fn create(root: &Path, recipients: Recipients) -> anyhow::Result<Self> {
        private_file::create_folders(root)
            .with_context(|| format!("cannot create the folder {}", root.display()))?;
        let folder = Self { root: root.to_owned(), recipients, identities: Identities::default() };
        let has = |name: &str| root.join(name).exists();
        if has(MANIFEST) || has(&format!("{MANIFEST}{ENCRYPTED}")) {
            bail!("{} already contains a pack; choose another folder", root.display());
        }
        let first_entry = fs::read_dir(root)?.filter_map(Result::ok).next();
        if first_entry.is_some() && !has(JOURNAL) && !has(LOCK) {
            bail!(
                "{} is not empty and contains no interrupted export; choose another folder",
                root.display()
            );
        }
        Ok(folder)
    }

    pub(crate) fn path(&self) -> std::path::Display<'_> {
        self.root.display()
    }

    /// The path of a file of the pack. Refuses names that lead out of the folder, and symbolic links.
    fn place(&self, name: &str) -> anyhow::Result<PathBuf> {
        ensure!(is_inside_pack(name), "`{name}` is not a file of the pack");
        let mut path = self.root.clone();
        for step in name.split('/') {
            path.push(step);
            let is_link = fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
            if is_link && Defence::PackPath.is_on() {
                bail!("{} is a symbolic link; a pack contains only files and folders", path.display());
            }
        }
        Ok(path)
    }

    /// Locks the folder against other exports while the file is open.
    pub(crate) fn lock(&self) -> anyhow::Result<File> {
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(self.place(LOCK)?)?;
        file.try_lock().with_context(|| format!("another export is writing to {}", self.path()))?;
        Ok(file)
    }

    /// The journal of an interrupted export.
    pub(crate) fn journal(&self) -> anyhow::Result<Option<Journal>> {
        match fs::read_to_string(self.place(JOURNAL)?) {
            Ok(text) => Ok(Journal::read(&text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).context("cannot read the journal of the export"),
        }
    }

    /// Starts the journal with the reused parts.
    pub(crate) fn begin_journal(&self, start: &JournalStart, kept: &[PartNote]) -> anyhow::Result<()> {
        let mut text = serde_json::to_string(start)? + "\n";
        for note in kept {
            text.push_str(&serde_json::to_string(note)?);
            text.push('\n');
        }
        self.write(JOURNAL, text.as_bytes())
    }

    /// Records a part that is on the disk.
    pub(crate) fn note(&self, note: &PartNote) -> anyhow::Result<()> {
        let mut file = OpenOptions::new().append(true).open(self.place(JOURNAL)?)?;
        file.write_all((serde_json::to_string(note)? + "\n").as_bytes())?;
        Ok(file.sync_data()?)
    }

    /// Whether the file of a part is on the disk and unchanged.
    pub(crate) fn holds(&self, note: &PartNote) -> bool {
        let bytes = self.place(&note.file).and_then(|path| Ok(fs::read(path)?));
        bytes.is_ok_and(|bytes| file_digest(&bytes) == note.sha256)
    }

    /// Writes a file atomically.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.place(name)?;
        let folder = path.parent().unwrap_or(&self.root);
        let cannot = || format!("cannot write {}", path.display());
        private_file::create_folders(folder).with_context(cannot)?;
        let mut unfinished = path.clone().into_os_string();
        unfinished.push(UNFINISHED);
        let unfinished = PathBuf::from(unfinished);
        // Left by an interrupted export. It is removed because its mode may differ.
        if fs::symlink_metadata(&unfinished).is_ok() {
            fs::remove_file(&unfinished).with_context(cannot)?;
        }
        let mut file = private_file::create(&unfinished).with_context(cannot)?;
        file.write_all(bytes).with_context(cannot)?;
        file.sync_all().with_context(cannot)?;
        fs::rename(&unfinished, &path).with_context(cannot)?;
        // Syncs the rename.
        File::open(folder)?.sync_all().with_context(cannot)
    }

    /// Completes an export: writes the manifest last, then removes the journal and the lock.
    pub(crate) fn finish(&self, manifest: &Manifest) -> anyhow::Result<()> {
        self.remove_strays(manifest)?;
        let text = serde_json::to_string_pretty(manifest)? + "\n";
        let name = format!("{MANIFEST}{}", self.recipients.suffix());
        CrashPoint::ExportManifest.before();
        self.write(&name, &self.recipients.seal(text.into_bytes())?)?;
        CrashPoint::ExportManifest.after();
        for name in [JOURNAL, LOCK] {
            fs::remove_file(self.root.join(name))?;
        }
        Ok(())
    }

    /// Removes files of an interrupted export that are not in the manifest.
    fn remove_strays(&self, manifest: &Manifest) -> anyhow::Result<()> {
        for entry in fs::read_dir(&self.root)? {
            let entry = entry?;
            // The type of the entry itself: a link to a folder is not a folder of the pack.
            if !entry.file_type()?.is_dir() {
                continue;
            }
            for file in fs::read_dir(entry.path())? {
                let file = file?.path();
                if !manifest.parts().any(|(_, part)| self.root.join(&part.file) == file) {
                    fs::remove_file(&file)?;
                }
            }
        }
        Ok(())
    }

    /// The manifest and the digest of its file, which identifies the pack.
    pub(crate) fn manifest(&self) -> anyhow::Result<(Manifest, String)> {
        for name in [MANIFEST.to_owned(), format!("{MANIFEST}{ENCRYPTED}")] {
            match fs::read(self.place(&name)?) {
                Ok(bytes) => {
                    let digest = file_digest(&bytes);
                    return Ok((Manifest::read(&self.plain(&name, bytes)?)?, digest));
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error).with_context(|| format!("cannot read {name}")),
            }
        }
        bail!(
            "{} has no manifest.json: it is not a pack, or its export was interrupted; then run the export again",
            self.path()
        )
    }

    /// The bytes of a part, checked against the manifest.
    pub(crate) fn part(&self, part: &PackPart) -> anyhow::Result<Vec<u8>> {
        let bytes = fs::read(self.place(&part.file)?)
            .with_context(|| format!("the pack is damaged: {} cannot be read", part.file))?;
        if file_digest(&bytes) != part.sha256 {
            bail!("the pack is damaged: the SHA-256 of {} differs from the manifest", part.file);
        }
        self.plain(&part.file, bytes)
    }

    /// The content of a file, decrypted if its name says that it is encrypted.
    fn plain(&self, name: &str, bytes: Vec<u8>) -> anyhow::Result<Vec<u8>> {
        match name.ends_with(ENCRYPTED) {
            true => self.identities.open(&bytes).with_context(|| format!("cannot decrypt {name}")),
            false => Ok(bytes),
        }
    }
}
