//! Errors of loading a local model.

use std::path::PathBuf;

use reflect_model::ModelError;

/// An error of another library.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A local model could not be loaded. Every message names the file it is about.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file of the model is missing or not readable.
    #[error(
        "cannot read {}; a local model is a folder with model.json, tokenizer.json and model.onnx",
        path.display()
    )]
    ModelFile {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A file of the model has invalid content.
    #[error("{} cannot be used: {expected}", path.display())]
    UnusableModel {
        /// The file.
        path: PathBuf,
        /// The expected content.
        expected: &'static str,
        /// The cause.
        source: Cause,
    },
    /// The library is missing or not readable.
    #[error(
        "cannot read {}; give the path of libonnxruntime.so, ONNX Runtime {} or newer",
        path.display(), minimum_version()
    )]
    RuntimeFile {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The library cannot be used.
    #[error(
        "{} cannot be used as ONNX Runtime; give the path of libonnxruntime.so, version {} or newer, \
         made for this kind of machine",
        path.display(), minimum_version()
    )]
    UnusableRuntime {
        /// The file.
        path: PathBuf,
        /// The cause.
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
        /// The requested library.
        asked: PathBuf,
    },
    /// The model was loaded, but does not return vectors.
    #[error("{} was loaded and does not give vectors", path.display())]
    Probe {
        /// The model's file.
        path: PathBuf,
        /// What went wrong.
        source: ModelError,
    },
}

/// The oldest supported ONNX Runtime.
fn minimum_version() -> String {
    format!("1.{}", ort::MINOR_VERSION)
}
