//! A small disk in memory with a tablespace on it.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};

use crate::stage::Stage;
use crate::statements;

/// The tablespace on the disk.
pub(super) const TABLESPACE: &str = "scale_small_disk";
/// A migrated database takes a third of it.
const MEGABYTES: u32 = 160;
/// What is left free: too little for one run, enough for Postgres to write what it has to.
const LEFT: u64 = 64 * 1024;

/// A mounted disk. It is unmounted when dropped.
#[derive(Debug)]
pub(super) struct SmallDisk {
    folder: PathBuf,
}

/// A file that takes all space. It is removed when dropped.
#[derive(Debug)]
pub(super) struct Ballast {
    path: PathBuf,
}

impl SmallDisk {
    /// Mounts a disk that belongs to the user of Postgres. Needs the rights of root.
    pub(super) fn mount(stage: &Stage) -> anyhow::Result<Self> {
        let owner = fs::metadata(stage.data()).context("the data folder cannot be read")?;
        let folder = stage.data().with_extension("small-disk");
        fs::create_dir_all(&folder)?;
        let options = format!("size={MEGABYTES}m,uid={},gid={},mode=0755", owner.uid(), owner.gid());
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&folder).output();
        match mounted {
            Ok(output) if output.status.success() => {}
            failed => {
                let _ = fs::remove_dir(&folder);
                let output = failed.context("cannot run mount")?;
                bail!("mount is not permitted: {}", String::from_utf8_lossy(&output.stderr).trim());
            }
        }
        let disk = Self { folder };
        // Postgres wants an empty folder of its own.
        let tables = disk.folder.join("tables");
        fs::create_dir(&tables)?;
        std::os::unix::fs::chown(&tables, Some(owner.uid()), Some(owner.gid()))?;
        stage.block_on(async {
            let mut server = statements::connect(&stage.cluster.url("postgres")).await?;
            let create = format!("create tablespace {TABLESPACE} location '{}'", tables.display());
            statements::execute(&mut server, create).await
        })?;
        Ok(disk)
    }

    /// Takes nearly all space.
    pub(super) fn fill(&self) -> anyhow::Result<Ballast> {
        let ballast = Ballast { path: self.folder.join("ballast") };
        let mut file = File::create(&ballast.path)?;
        let zeros = vec![0; 1 << 16];
        loop {
            match file.write(&zeros) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => break,
                Err(error) => return Err(error).context("the disk cannot be filled"),
            }
        }
        let length = file.metadata()?.len();
        file.set_len(length.saturating_sub(LEFT))?;
        Ok(ballast)
    }

    /// Removes the tablespace, which must be empty, and the disk.
    pub(super) fn remove(self, stage: &Stage) {
        // What stays ends with the cluster.
        let _ = stage.block_on(async {
            let mut server = statements::connect(&stage.cluster.url("postgres")).await?;
            statements::execute(&mut server, format!("drop tablespace if exists {TABLESPACE}")).await
        });
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.folder).output();
        let _ = fs::remove_dir(&self.folder);
    }
}

impl Drop for Ballast {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
