//! Finds the Python package `reflect-sdk`, the client of another product. It has the import name of our client, so the
//! files of both replace each other, and runs may be sent to that product.

use std::path::{Path, PathBuf};

use super::python_packages::{environment_folders, package_folders, sorted_entries};
use crate::environment::variable;

const PACKAGE: &str = "reflect_sdk/__init__.py";
/// A package of this project contains this file.
const OWN: &str = "reflect_sdk/_distributions.py";

/// The package of the other product in a Python environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForeignPackage {
    version: String,
    folder: PathBuf,
    /// Our package in the same environment.
    own: Option<&'static str>,
}

impl ForeignPackage {
    /// In the active Python environment, or in the environment of this program.
    pub(crate) fn find() -> Option<Self> {
        let active = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(variable);
        let mut folders: Vec<PathBuf> =
            active.flat_map(|root| environment_folders(Path::new(&root))).collect();
        folders.extend(std::env::current_exe().into_iter().flat_map(|program| package_folders(&program)));
        folders.iter().find_map(|folder| Self::of(folder))
    }

    fn of(folder: &Path) -> Option<Self> {
        let found = sorted_entries(folder);
        let version = found.iter().find_map(|path| {
            let version = version_of(path, "reflect_sdk")?;
            let files = std::fs::read_to_string(path.join("RECORD")).ok()?;
            let has = |file: &str| {
                files.lines().any(|line| line.split(',').next().is_some_and(|name| name == file))
            };
            (has(PACKAGE) && !has(OWN)).then_some(version)
        })?;
        let is_installed = |name: &str| found.iter().any(|path| version_of(path, name).is_some());
        let own = [("reflect_memory", "reflect-memory"), ("reflect_memory_client", "reflect-memory-client")]
            .into_iter()
            .find(|(name, _)| is_installed(name));
        Some(Self { version, folder: folder.to_owned(), own: own.map(|(_, package)| package) })
    }

    /// What is wrong.
    pub(crate) fn message(&self) -> String {
        format!(
            "reflect-sdk {} is installed in {}. It is the client of another product and has the same import name, \
             reflect_sdk: its files and the files of our client replace each other",
            self.version,
            self.folder.display()
        )
    }

    /// The commands that remove it.
    pub(crate) fn fix(&self) -> String {
        let package = self.own.unwrap_or("reflect-memory-client");
        format!("run `pip uninstall reflect-sdk`, then `pip install --force-reinstall {package}`")
    }
}

/// The version of an installed package: `reflect_sdk-0.3.3.dist-info` has the version 0.3.3.
fn version_of(path: &Path, package: &str) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let version = name.strip_prefix(package)?.strip_prefix('-')?.strip_suffix(".dist-info")?;
    Some(version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local_server::folder::Folder;

    /// Installs a package with these files.
    fn install(packages: &Path, name: &str, files: &[&str]) {
        let info = packages.join(format!("{name}.dist-info"));
        std::fs::create_dir_all(&info).unwrap();
        let record: Vec<String> = files.iter().map(|file| format!("{file},sha256=x,1")).collect();
        std::fs::write(info.join("RECORD"), record.join("\n")).unwrap();
    }

    #[test]
    fn the_client_of_another_product_is_found_with_the_command_that_removes_it() {
        let folder = Folder::temporary().unwrap();
        let packages = folder.path();
        install(packages, "reflect_sdk-0.3.3", &["reflect_sdk/__init__.py", "reflect_sdk/client.py"]);

        let alone = ForeignPackage::of(packages).unwrap();
        install(packages, "reflect_memory-0.1.0", &["reflect_sdk/__init__.py", OWN]);
        let beside_ours = ForeignPackage::of(packages).unwrap();
        folder.remove().unwrap();

        assert!(alone.message().starts_with("reflect-sdk 0.3.3 is installed in /"), "{}", alone.message());
        assert!(alone.fix().ends_with("--force-reinstall reflect-memory-client`"), "{}", alone.fix());
        assert!(beside_ours.fix().ends_with("--force-reinstall reflect-memory`"), "{}", beside_ours.fix());
    }

    #[test]
    fn our_packages_are_not_foreign() {
        let folder = Folder::temporary().unwrap();
        let packages = folder.path();
        install(packages, "reflect_memory_client-0.1.0", &["reflect_sdk/__init__.py", OWN]);
        // The name of our client before it was renamed.
        install(packages, "reflect_sdk-0.1.0", &["reflect_sdk/__init__.py", OWN]);
        install(packages, "reflect_sdk_extras-2.0", &["reflect_sdk/__init__.py"]);

        let found = ForeignPackage::of(packages);
        folder.remove().unwrap();

        assert_eq!(found, None);
    }
}
