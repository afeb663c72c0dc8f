//! The folder of a pack. A file in it is whole or not there: it is written under another name, forced to the disk, and
//! renamed.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use reflect_engine::moving::{Journal, JournalStart, Manifest, PackPart, PartNote, file_digest};

use crate::failure::{Failure, Kind};

const MANIFEST: &str = "manifest.json";
const JOURNAL: &str = "journal.jsonl";
const LOCK: &str = "export.lock";
/// What a name ends in while its file is being written.
const UNFINISHED: &str = ".unfinished";

/// A folder that holds a pack, or will.
#[derive(Debug)]
pub(crate) struct PackFolder {
    root: PathBuf,
}

impl PackFolder {
    /// The folder of a pack that is to be read.
    pub(crate) fn open(root: &Path) -> anyhow::Result<Self> {
        if !root.is_dir() {
            let message = format!("{} is no folder", root.display());
            return Err(Failure::new(Kind::Local, "no_folder", message)
                .fix("name the folder that `reflect export --to` has written")
                .into());
        }
        Ok(Self { root: root.to_owned() })
    }

    /// The folder for a pack that is to be written; made unless it is there.
    pub(crate) fn create(root: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(root).with_context(|| format!("cannot make the folder {}", root.display()))?;
        let folder = Self { root: root.to_owned() };
        if folder.root.join(MANIFEST).exists() {
            bail!("{} holds a whole pack already: name another folder", root.display());
        }
        let strange = fs::read_dir(root)?.filter_map(Result::ok).next();
        if strange.is_some() && !folder.root.join(JOURNAL).exists() && !folder.root.join(LOCK).exists() {
            bail!(
                "{} is not empty and holds no export that could go on: name another folder",
                root.display()
            );
        }
        Ok(folder)
    }

    pub(crate) fn path(&self) -> std::path::Display<'_> {
        self.root.display()
    }

    /// Keeps other exports out for as long as the file is open. Ends with the process, however that ends.
    pub(crate) fn lock(&self) -> anyhow::Result<File> {
        let file = OpenOptions::new().create(true).append(true).open(self.root.join(LOCK))?;
        file.try_lock().with_context(|| format!("another export writes to {}", self.path()))?;
        Ok(file)
    }

    /// What an earlier export wrote down.
    pub(crate) fn journal(&self) -> anyhow::Result<Option<Journal>> {
        match fs::read_to_string(self.root.join(JOURNAL)) {
            Ok(text) => Ok(Journal::read(&text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).context("cannot read the journal of the export"),
        }
    }

    /// Begins the journal with what is kept.
    pub(crate) fn begin_journal(&self, start: &JournalStart, kept: &[PartNote]) -> anyhow::Result<()> {
        let mut text = serde_json::to_string(start)? + "\n";
        for note in kept {
            text += &(serde_json::to_string(note)? + "\n");
        }
        self.write(JOURNAL, text.as_bytes())
    }

    /// Notes a part that is on the disk.
    pub(crate) fn note(&self, note: &PartNote) -> anyhow::Result<()> {
        let mut file = OpenOptions::new().append(true).open(self.root.join(JOURNAL))?;
        file.write_all((serde_json::to_string(note)? + "\n").as_bytes())?;
        Ok(file.sync_data()?)
    }

    /// Whether the file of a note is on the disk as it was noted.
    pub(crate) fn holds(&self, note: &PartNote) -> bool {
        fs::read(self.root.join(&note.file)).is_ok_and(|bytes| file_digest(&bytes) == note.sha256)
    }

    /// Writes a file, all of it or nothing.
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
        // The name is part of what has to survive.
        File::open(folder)?.sync_all().with_context(cannot)
    }

    /// Ends an export: the manifest, after everything that it names; then what was only needed to go on.
    pub(crate) fn finish(&self, manifest: &Manifest) -> anyhow::Result<()> {
        self.remove_strays(manifest)?;
        self.write(MANIFEST, (serde_json::to_string_pretty(manifest)? + "\n").as_bytes())?;
        for name in [JOURNAL, LOCK] {
            fs::remove_file(self.root.join(name))?;
        }
        Ok(())
    }

    /// Files of an earlier start that the pack has no use for: it must not hold more than it says.
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

    /// The manifest, and its digest, by which the pack is known.
    pub(crate) fn manifest(&self) -> anyhow::Result<(Manifest, String)> {
        let path = self.root.join(MANIFEST);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => bail!(
                "{} has no manifest.json: it is no pack, or an export that was cut short and has to be run again",
                self.path()
            ),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        Ok((Manifest::read(&text)?, file_digest(&text)))
    }

    /// The bytes of a part, if they are the ones that the manifest speaks of.
    pub(crate) fn part(&self, part: &PackPart) -> anyhow::Result<Vec<u8>> {
        let bytes = fs::read(self.root.join(&part.file))
            .with_context(|| format!("the pack is damaged: {} cannot be read", part.file))?;
        if file_digest(&bytes) != part.sha256 {
            bail!("the pack is damaged: {} has another SHA-256 than the manifest says", part.file);
        }
        Ok(bytes)
    }
}
