//! ONNX Runtime, loaded once per process from a path that the caller gives.
//!
//! The binding would look for a library on its own, and panic if there is none, wherever it is used before
//! this. So everything starts with [`environment`].

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ort::environment::Environment;

use crate::LoadError;

/// The library in use. Kept for good: the binding allows one environment per process and forgets it when
/// nobody holds it, after which no other can be made.
static LOADED: Mutex<Option<Loaded>> = Mutex::new(None);

struct Loaded {
    library: PathBuf,
    environment: Environment,
}

/// Loads the library unless it is loaded. A failure leaves room for another attempt.
pub(crate) fn environment(library: &Path) -> Result<Environment, LoadError> {
    // An absolute path, because the binding would resolve a relative one beside the executable; and one
    // without links, so that two names of one file count as the same.
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
    // Some builds report usage to their maker. This ends it, but newer ones have begun by now: a program that loads
    // one is started with ORT_DISABLE_TELEMETRY=1, as our binary sees to itself.
    let environment =
        builder.with_name("reflect").with_telemetry(false).build().map_err(|error| unusable(error.into()))?;
    *loaded = Some(Loaded { library, environment: environment.clone() });
    Ok(environment)
}
