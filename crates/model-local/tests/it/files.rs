//! The paths of the model and the library: in the cache that `cargo xtask setup` fills, unless a variable is set.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use reflect_model_local::{LoadError, LocalEmbedder, LocalModel};

/// Below the cache folder. A test of xtask compares these with the paths it installs to.
const MODEL: &str = "minilm/0.1.0-1";
const LIBRARY: &str = "onnxruntime/1.31.1/libonnxruntime.so";

/// The real model.
pub(crate) fn model() -> LocalModel {
    let folder = present("REFLECT_MODEL_FOLDER", MODEL);
    LocalModel::new(folder, present("REFLECT_ONNXRUNTIME", LIBRARY))
}

/// One embedder for all tests, because loading takes longer than most tests.
pub(crate) fn embedder() -> &'static LocalEmbedder {
    &loaded().1
}

/// The error for a file that is not a library. Tested before the real library is loaded, because afterwards every other
/// path is refused for that reason.
pub(crate) fn refused_library() -> &'static LoadError {
    &loaded().0
}

fn loaded() -> &'static (LoadError, LocalEmbedder) {
    static LOADED: OnceLock<(LoadError, LocalEmbedder)> = OnceLock::new();
    LOADED.get_or_init(|| {
        let no_library = LocalModel { runtime_library: model().folder.join("model.json"), ..model() };
        let refusal = LocalEmbedder::load(&no_library).err().expect("a text is no library");
        (refusal, LocalEmbedder::load(&model()).expect("the model loads"))
    })
}

fn present(variable: &str, below_cache: &str) -> PathBuf {
    let path = setting(variable).map_or_else(|| cache().join(below_cache), PathBuf::from);
    assert!(path.exists(), "{} is not there: run `cargo xtask setup`, or set {variable}", path.display());
    path
}

/// The same choice as `cargo xtask cache`.
fn cache() -> PathBuf {
    if let Some(folder) = setting("REFLECT_CACHE") {
        return folder.into();
    }
    let of_the_system = Path::new("/var/cache/reflect");
    let own = setting("XDG_CACHE_HOME").map(PathBuf::from);
    let own = own.or_else(|| Some(Path::new(&setting("HOME")?).join(".cache")));
    if is_root() { of_the_system.to_owned() } else { own.expect("HOME is set").join("reflect") }
}

fn is_root() -> bool {
    let id = std::process::Command::new("id").arg("-u").output().expect("`id` runs");
    id.stdout.trim_ascii() == b"0"
}

#[expect(clippy::disallowed_methods, reason = "tests are told by the environment where their files are")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
