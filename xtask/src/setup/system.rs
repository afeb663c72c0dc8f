//! Programs that the system's package manager installs, because they need system packages.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};

use crate::{process, settings};

/// Parts are installed concurrently, but the package manager runs only once at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Links the program of a package with the same name into a folder, and returns its version. The link is broken if the
/// package is removed later.
pub(super) fn link(package: &str, into: &Path, version_flag: &str) -> Result<String> {
    let program = match on_path(package) {
        Some(program) => program,
        None => {
            install(package)?;
            on_path(package)
                .with_context(|| format!("the package was installed, but `{package}` is not on the path"))?
        }
    };
    symlink(&program, into.join(package))?;
    process::output_of(Command::new(program).arg(version_flag))
}

/// Installs a package with the system's package manager.
pub(super) fn install(package: &str) -> Result<()> {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // The package lists of a fresh machine may be missing or old.
    process::output_of(Command::new("apt-get").args(["update", "-q"]))?;
    let mut install = Command::new("apt-get");
    install.args(["install", "-q", "-y", "--no-install-recommends", package]);
    process::output_of(install.env("DEBIAN_FRONTEND", "noninteractive"))?;
    Ok(())
}

/// Downloads packages and unpacks them into a folder, without installing them. Works for every user.
pub(super) fn unpack(packages: &[&str], into: &Path) -> Result<()> {
    std::fs::create_dir_all(into)?;
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut download = Command::new("apt-get");
    process::output_of(download.current_dir(into).args(["download", "-q"]).args(packages))?;
    for entry in std::fs::read_dir(into)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            process::output_of(Command::new("dpkg-deb").arg("--extract").arg(&path).arg(into))?;
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    let path = settings::setting(settings::PROGRAMS)?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}
