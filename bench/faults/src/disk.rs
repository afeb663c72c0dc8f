//! A small disk: a file system in memory with a limit of size, which can be filled and freed.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::{Cluster, cache_folder, free_port};

/// A mounted file system. It is unmounted when it is dropped.
#[derive(Debug)]
pub(crate) struct Disk {
    folder: PathBuf,
}

impl Disk {
    /// Mounts a disk of this size. Only root can do that.
    pub(crate) fn mount(megabytes: u64) -> anyhow::Result<Self> {
        let name = format!("disk-{}-{}", std::process::id(), free_port()?);
        let disk = Self { folder: cache_folder()?.join(name) };
        fs::create_dir_all(&disk.folder)?;
        let options = format!("size={megabytes}m,mode=755");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&disk.folder);
        run(&mut mount).context("no file system can be mounted; run this fault as root")?;
        Ok(disk)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Uses all space that is left.
    pub(crate) fn fill(&self) -> anyhow::Result<()> {
        let mut file = fs::File::options().create(true).append(true).open(self.filler())?;
        // The small writes use what is left after the large ones.
        for size in [1 << 20, 4096, 1] {
            let zeros = vec![0; size];
            loop {
                match file.write(&zeros) {
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }

    /// Frees the space again.
    pub(crate) fn free(&self) -> anyhow::Result<()> {
        Ok(fs::remove_file(self.filler())?)
    }

    fn filler(&self) -> PathBuf {
        self.folder.join("filler")
    }

    /// Moves the write-ahead log of a stopped cluster onto this disk.
    pub(crate) fn take_wal(&self, cluster: &Cluster) -> anyhow::Result<()> {
        let (own, moved) = (cluster.data().join("pg_wal"), self.folder.join("pg_wal"));
        run(Command::new("cp").arg("--archive").arg(&own).arg(&moved))?;
        fs::remove_dir_all(&own)?;
        Ok(std::os::unix::fs::symlink(&moved, &own)?)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // A process that still uses it must not keep the name.
        let _ = Command::new("umount").arg("--lazy").arg(&self.folder).output();
        let _ = fs::remove_dir(&self.folder);
    }
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let output = command.output().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}
