//! ONNX Runtime, loaded once per process from a path that the caller gives.
//!
//! The binding would search for a library on its own, and panic if there is none. Therefore all other code calls
//! [`environment`] first.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ort::environment::Environment;

use crate::LoadError;

/// The loaded library. It is never released: the binding allows one environment per process, drops it with the last
/// reference, and cannot create another one.
static LOADED: Mutex<Option<Loaded>> = Mutex::new(None);

struct Loaded {
    library: PathBuf,
    environment: Environment,
}

/// Loads the library unless it is loaded. After an error, it can be called again.
pub(crate) fn environment(library: &Path) -> Result<Environment, LoadError> {
    // An absolute path, because the binding resolves relative paths from the executable's folder. Without symbolic
    // links, so that two names of one file are equal.
    let library = library
        .canonicalize()
        .map_err(|source| LoadError::RuntimeFile { path: library.to_owned(), source })?;
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(loaded) = &*loaded {
        if loaded.library == library {
            return Ok(loaded.environment.clone());
        }
        return Err(LoadError::SecondRuntime { loaded: loaded.library.clone(), asked: library });
    }
    let unusable = |source| LoadError::UnusableRuntime { path: library.clone(), source };
    let builder = ort::init_from(&library).map_err(|error| unusable(error.into()))?;
    // Some builds send telemetry. This disables it, but newer builds have already started it here. For those, the
    // process must be started with ORT_DISABLE_TELEMETRY=1; the `reflect` binary sets it.
    let environment =
        builder.with_name("reflect").with_telemetry(false).build().map_err(|error| unusable(error.into()))?;
    *loaded = Some(Loaded { library, environment: environment.clone() });
    Ok(environment)
}
