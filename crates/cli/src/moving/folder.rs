//! The folder of a pack. Files are written atomically: under another name, synced, and then renamed.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use reflect_engine::moving::{Journal, JournalStart, Manifest, PackPart, PartNote, file_digest};

use crate::failure::{Failure, Kind};

const MANIFEST: &str = "manifest.json";
const JOURNAL: &str = "journal.jsonl";
const LOCK: &str = "export.lock";
/// The suffix of a file that is being written.
const UNFINISHED: &str = ".unfinished";

/// The folder of a pack.
#[derive(Debug)]
pub(crate) struct PackFolder {
    root: PathBuf,
}

impl PackFolder {
    /// Opens a folder to read its pack.
    pub(crate) fn open(root: &Path) -> anyhow::Result<Self> {
        if !root.is_dir() {
            let message = format!("{} is not a folder", root.display());
            return Err(Failure::new(Kind::Local, "no_folder", message)
                .fix("use the folder that `reflect export --to` wrote")
                .into());
        }
        Ok(Self { root: root.to_owned() })
    }

    /// Opens or creates a folder to write a pack.
    pub(crate) fn create(root: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(root).with_context(|| format!("cannot create the folder {}", root.display()))?;
        let folder = Self { root: root.to_owned() };
        if folder.root.join(MANIFEST).exists() {
            bail!("{} already contains a pack; choose another folder", root.display());
        }
        let first_entry = fs::read_dir(root)?.filter_map(Result::ok).next();
        if first_entry.is_some() && !folder.root.join(JOURNAL).exists() && !folder.root.join(LOCK).exists() {
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

    /// Locks the folder against other exports while the file is open.
    pub(crate) fn lock(&self) -> anyhow::Result<File> {
        let file = OpenOptions::new().create(true).append(true).open(self.root.join(LOCK))?;
        file.try_lock().with_context(|| format!("another export is writing to {}", self.path()))?;
        Ok(file)
    }

    /// The journal of an interrupted export.
    pub(crate) fn journal(&self) -> anyhow::Result<Option<Journal>> {
        match fs::read_to_string(self.root.join(JOURNAL)) {
            Ok(text) => Ok(Journal::read(&text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).context("cannot read the journal of the export"),
        }
    }

    /// Starts the journal with the reused parts.
    pub(crate) fn begin_journal(&self, start: &JournalStart, kept: &[PartNote]) -> anyhow::Result<()> {
        let mut text = serde_json::to_string(start)? + "\n";
        for note in kept {
            text += &(serde_json::to_string(note)? + "\n");
        }
        self.write(JOURNAL, text.as_bytes())
    }

    /// Records a part that is on the disk.
    pub(crate) fn note(&self, note: &PartNote) -> anyhow::Result<()> {
        let mut file = OpenOptions::new().append(true).open(self.root.join(JOURNAL))?;
        file.write_all((serde_json::to_string(note)? + "\n").as_bytes())?;
        Ok(file.sync_data()?)
    }

    /// Whether the file of a part is on the disk and unchanged.
    pub(crate) fn holds(&self, note: &PartNote) -> bool {
        fs::read(self.root.join(&note.file)).is_ok_and(|bytes| file_digest(&bytes) == note.sha256)
    }

    /// Writes a file atomically.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.root.join(name);
        let folder = path.parent().unwrap_or(&self.root);
        let cannot = || format!("cannot write {}", path.display());
        fs::create_dir_all(folder).with_context(cannot)?;
        let mut unfinished = path.clone().into_os_string();
        unfinished.push(UNFINISHED);
        let mut file = File::create(&unfinished).with_context(cannot)?;
        file.write_all(bytes).with_context(cannot)?;
        file.sync_all().with_context(cannot)?;
        fs::rename(&unfinished, &path).with_context(cannot)?;
        // Syncs the rename.
        File::open(folder)?.sync_all().with_context(cannot)
    }

    /// Completes an export: writes the manifest last, then removes the journal and the lock.
    pub(crate) fn finish(&self, manifest: &Manifest) -> anyhow::Result<()> {
        self.remove_strays(manifest)?;
        self.write(MANIFEST, (serde_json::to_string_pretty(manifest)? + "\n").as_bytes())?;
        for name in [JOURNAL, LOCK] {
            fs::remove_file(self.root.join(name))?;
        }
        Ok(())
    }

    /// Removes files of an interrupted export that are not in the manifest.
    fn remove_strays(&self, manifest: &Manifest) -> anyhow::Result<()> {
        for folder in fs::read_dir(&self.root)? {
            let folder = folder?.path();
            if !folder.is_dir() {
                continue;
            }
            for file in fs::read_dir(&folder)? {
                let file = file?.path();
                if !manifest.parts().any(|(_, part)| self.root.join(&part.file) == file) {
                    fs::remove_file(&file)?;
                }
            }
        }
        Ok(())
    }

    /// The manifest and its digest, which identifies the pack.
    pub(crate) fn manifest(&self) -> anyhow::Result<(Manifest, String)> {
        let path = self.root.join(MANIFEST);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => bail!(
                "{} has no manifest.json: it is not a pack, or its export was interrupted; then run the export again",
                self.path()
            ),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        Ok((Manifest::read(&text)?, file_digest(&text)))
    }

    /// The bytes of a part, checked against the manifest.
    pub(crate) fn part(&self, part: &PackPart) -> anyhow::Result<Vec<u8>> {
        let bytes = fs::read(self.root.join(&part.file))
            .with_context(|| format!("the pack is damaged: {} cannot be read", part.file))?;
        if file_digest(&bytes) != part.sha256 {
            bail!("the pack is damaged: the SHA-256 of {} differs from the manifest", part.file);
        }
        Ok(bytes)
    }
}
