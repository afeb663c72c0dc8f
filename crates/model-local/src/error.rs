//! Why a local model cannot be loaded, and what to do about it.

use std::path::PathBuf;

use reflect_model::ModelError;

/// What other libraries say when something is wrong.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A local model could not be loaded. Every message names the file it is about.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file of the model is missing or closed to us.
    #[error(
        "cannot read {}; a local model is a folder with model.json, tokenizer.json and model.onnx",
        path.display()
    )]
    ModelFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file of the model is there and is not what its name says.
    #[error("{} cannot be used: {expected}", path.display())]
    UnusableModel {
        /// The file.
        path: PathBuf,
        /// What it should have been.
        expected: &'static str,
        /// What is wrong with it.
        source: Cause,
    },
    /// The library is missing or closed to us.
    #[error(
        "cannot read {}; give the path of libonnxruntime.so, ONNX Runtime {} or newer",
        path.display(), minimum_version()
    )]
    RuntimeFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The library is there and cannot be used.
    #[error(
        "{} cannot be used as ONNX Runtime; give the path of libonnxruntime.so, version {} or newer, \
         made for this kind of machine",
        path.display(), minimum_version()
    )]
    UnusableRuntime {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Cause,
    },
    /// A process can load one library, and it has loaded another.
    #[error(
        "this process already uses ONNX Runtime from {}, so it cannot use {}; give all models the same library",
        loaded.display(), asked.display()
    )]
    SecondRuntime {
        /// The library in use.
        loaded: PathBuf,
        /// The one that was asked for.
        asked: PathBuf,
    },
    /// The model was loaded and does not give vectors.
    #[error("{} was loaded and does not give vectors", path.display())]
    Probe {
        /// The model's file.
        path: PathBuf,
        /// What went wrong.
        source: ModelError,
    },
}

/// The oldest runtime that has what we call.
fn minimum_version() -> String {
    format!("1.{}", ort::MINOR_VERSION)
}
