//! Files that are installed with the Python package: the embedding model and ONNX Runtime. `postgres_programs` finds the
//! programs of Postgres.

use std::path::{Path, PathBuf};

/// The command that installs everything.
const PACKAGE: &str = "pip install reflect-memory";

/// The package folders of the Python environment of this program: `<venv>/bin/reflect` belongs to
/// `<venv>/lib/python3.x/site-packages`. The system has already resolved symbolic links.
pub(super) fn package_folders(program: &Path) -> Vec<PathBuf> {
    program.parent().and_then(Path::parent).map(environment_folders).unwrap_or_default()
}

/// The package folders of a Python environment.
pub(super) fn environment_folders(root: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for lib in ["lib", "lib64"] {
        for python in sorted_entries(&root.join(lib)) {
            if python.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python3")) {
                // Debian uses the second name.
                let both = ["site-packages", "dist-packages"].map(|name| python.join(name));
                folders.extend(both.into_iter().filter(|folder| folder.is_dir()));
            }
        }
    }
    folders
}

/// The folder of the embedding model.
pub(super) fn model(packages: &[PathBuf]) -> Option<PathBuf> {
    let folders = packages.iter().map(|folder| folder.join("reflect_memory/model"));
    folders.into_iter().find(|folder| folder.join("model.onnx").is_file())
}

/// The library of ONNX Runtime.
pub(super) fn onnxruntime(packages: &[PathBuf]) -> Option<PathBuf> {
    let files = packages.iter().flat_map(|folder| sorted_entries(&folder.join("onnxruntime/capi")));
    let mut libraries = files.filter(|file| {
        file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libonnxruntime.so"))
    });
    libraries.next()
}

/// The error for a missing file: where it was searched, and how to get it.
pub(super) fn missing(what: &str, setting: &str, looked_for: &str, packages: &[PathBuf]) -> String {
    let places: Vec<String> =
        packages.iter().map(|folder| folder.join(looked_for).display().to_string()).collect();
    let places = match places.as_slice() {
        [] => "this program is not in a Python environment".to_owned(),
        places => format!("not found: {}", places.join(", ")),
    };
    format!(
        "{what} is missing ({setting} is not set; {places}). Install it with `{PACKAGE}` in a Python environment and run the \
         `reflect` of that environment, or set {setting}"
    )
}

pub(super) fn sorted_entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local_server::folder::Folder;

    #[test]
    fn parts_are_found_beside_the_program_of_a_python_environment() {
        let folder = Folder::temporary().unwrap();
        let packages = folder.path().join("lib/python3.13/site-packages");
        std::fs::create_dir_all(packages.join("reflect_memory/model")).unwrap();
        std::fs::create_dir_all(packages.join("onnxruntime/capi")).unwrap();
        std::fs::write(packages.join("reflect_memory/model/model.onnx"), "").unwrap();
        std::fs::write(packages.join("onnxruntime/capi/libonnxruntime.so.1.31.1"), "").unwrap();
        std::fs::write(packages.join("onnxruntime/capi/other.so"), "").unwrap();

        let found = package_folders(&folder.path().join("bin/reflect"));

        assert_eq!(found, std::slice::from_ref(&packages));
        assert_eq!(model(&found), Some(packages.join("reflect_memory/model")));
        assert_eq!(onnxruntime(&found), Some(packages.join("onnxruntime/capi/libonnxruntime.so.1.31.1")));
        assert_eq!((model(&[]), onnxruntime(&[])), (None, None));
        folder.remove().unwrap();
    }
}
