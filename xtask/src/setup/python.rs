//! Functions of several parts: unpacks wheels and creates Python environments.
//!
//! Only the interpreter's own pip is used. Each part chooses its packages. pip compares every file with the digests in
//! `xtask/python-digests.txt`.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;

/// One line per package: the package with its version, and the digests of its wheels, as pip reads them.
const DIGESTS: &str = include_str!("../../python-digests.txt");

/// Unpacks one wheel into a folder, without its dependencies.
pub(super) fn unpack(package: &str, folder: &Path) -> Result<()> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--root-user-action=ignore", "--no-deps", "--no-compile"]);
    // One fixed Python version: only the files matter, and any interpreter can unpack them.
    pip.args(["--only-binary=:all:", "--python-version", "3.11", "--target"]).arg(folder);
    install(&mut pip, folder, &[package])
}

/// Runs `pip install` with the digests of the packages. They are written beside the folder, which must stay empty.
fn install(pip: &mut Command, folder: &Path, packages: &[&str]) -> Result<()> {
    let list = folder.with_extension("requirements");
    fs::write(&list, requirements(packages)?)?;
    process::output_of(pip.arg("--require-hashes").arg("-r").arg(&list))?;
    Ok(fs::remove_file(list)?)
}

/// The lines of the packages.
fn requirements(packages: &[&str]) -> Result<String> {
    let line_of = |package: &&str| {
        let line = DIGESTS.lines().find(|line| line.split(' ').next() == Some(package));
        line.with_context(|| format!("there is no digest of {package}; run `python3 xtask/digests.py`"))
    };
    Ok(packages.iter().map(line_of).collect::<Result<Vec<_>>>()?.join("\n"))
}

/// Creates an environment and returns its interpreter. Scripts are removed, because they contain the path of the
/// folder, which is renamed later. Compiled programs are kept.
///
/// The packages include all dependencies.
pub(super) fn environment(folder: &Path, packages: &[&str]) -> Result<PathBuf> {
    // Without pip: the interpreter's own pip installs into it, which saves seconds and megabytes.
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv", "--without-pip", "--clear"]).arg(folder);
    process::output_of(&mut venv)?;
    let python = folder.join("bin/python");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "--python"]).arg(&python);
    pip.args(["install", "--quiet", "--root-user-action=ignore", "--no-compile", "--no-deps"]);
    // Only wheels: a source package would run its own code while it is installed.
    install(pip.arg("--only-binary=:all:"), folder, packages)?;
    remove_scripts(&folder.join("bin"))?;
    Ok(python)
}

fn remove_scripts(bin: &Path) -> Result<()> {
    for entry in fs::read_dir(bin).with_context(|| format!("cannot list {}", bin.display()))? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with("python") && !is_compiled(&entry.path())? {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn is_compiled(program: &Path) -> Result<bool> {
    let mut first = Vec::new();
    fs::File::open(program)?.take(4).read_to_end(&mut first)?;
    Ok(first == b"\x7fELF")
}

/// Checks that a list names every package once, with its version.
#[cfg(test)]
pub(super) fn check_list(packages: &str) {
    let mut names: Vec<_> = packages.split_whitespace().map(|package| package.split_once("==")).collect();
    assert!(names.iter().all(Option::is_some), "a package without a version");
    let all = names.len();
    names.sort_unstable();
    names.dedup_by_key(|name| name.map(|(name, _)| name.to_lowercase().replace('_', "-")));
    assert_eq!(names.len(), all, "a package is named twice");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary_folder::TemporaryFolder;

    #[test]
    fn every_package_of_setup_has_a_digest() {
        let check = crate::repository::root().unwrap().join("xtask/digests.py");

        process::output_of(Command::new("python3").arg(check).arg("--check")).unwrap();

        let lines = requirements(&["idna==3.20"]).unwrap();
        assert!(lines.starts_with("idna==3.20 --hash=sha256:"), "{lines}");
        let unknown = ["idna", "0"].join("==");
        let error = requirements(&[&unknown]).unwrap_err().to_string();
        assert!(error.contains(&format!("no digest of {unknown}")), "{error}");
    }

    #[test]
    fn scripts_are_removed_and_the_interpreter_and_compiled_programs_are_not() {
        let folder = TemporaryFolder::create();
        let programs = [
            ("python3", "#!"),
            ("ruff", "\x7fELF\x02"),
            ("pytest", "#!/built/here"),
            ("activate", "# Use me"),
        ];
        for (name, text) in programs {
            fs::write(folder.path().join(name), text).unwrap();
        }

        remove_scripts(folder.path()).unwrap();

        let mut left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["python3", "ruff"]);
    }
}
