//! Tests of a model's identity, and of the errors of loading.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use reflect_model::{EmbedPurpose, Embedder};
use reflect_model_local::{LoadError, LocalEmbedder, LocalModel};

use crate::files::{embedder, model, refused_library};

/// A copy of the model that a test may corrupt.
struct Copy {
    folder: PathBuf,
}

impl Copy {
    fn create() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("reflect-model-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        for name in ["model.json", "tokenizer.json", "model.onnx"] {
            fs::copy(model().folder.join(name), folder.join(name)).unwrap();
        }
        Self { folder }
    }

    fn with(name: &str, content: &str) -> Self {
        let copy = Self::create();
        fs::write(copy.folder.join(name), content).unwrap();
        copy
    }

    fn without(name: &str) -> Self {
        let copy = Self::create();
        fs::remove_file(copy.folder.join(name)).unwrap();
        copy
    }

    fn load(&self) -> Result<LocalEmbedder, LoadError> {
        LocalEmbedder::load(&LocalModel { folder: self.folder.clone(), ..model() })
    }

    fn refusal(&self) -> LoadError {
        self.load().err().expect("the model is spoilt")
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn a_model_has_an_identity() {
    // The refused library must not prevent the right one from loading. `embedder` loads it.
    let identity = embedder().identity();

    assert_eq!((identity.provider.as_str(), identity.model.as_str()), ("local", "all-MiniLM-L6-v2"));
    assert!(identity.revision.len() == 16 && identity.revision.bytes().all(|byte| byte.is_ascii_hexdigit()));
}

#[test]
fn the_revision_changes_only_with_what_vectors_depend_on() {
    embedder();
    let revision = |json: &str| Copy::with("model.json", json).load().unwrap().identity().revision.clone();

    let same = revision(r#"{"name": "renamed", "max_tokens": 256}"#);
    let shorter = revision(r#"{"name": "all-MiniLM-L6-v2", "max_tokens": 128}"#);

    assert_eq!(same, embedder().identity().revision);
    assert_ne!(shorter, same);
}

#[tokio::test]
async fn a_model_with_a_prefix_gets_it() {
    embedder();
    let json = r#"{"name": "m", "max_tokens": 256, "query_prefix": "search for: "}"#;
    let prefixed = Copy::with("model.json", json).load().unwrap();
    let texts = ["a port".to_owned(), "search for: a port".to_owned()];

    let query = prefixed.embed(&texts[..1], EmbedPurpose::Query).await.unwrap();
    let document = prefixed.embed(&texts[1..], EmbedPurpose::Document).await.unwrap();

    assert_eq!(query, document);
    assert_ne!(query, prefixed.embed(&texts[..1], EmbedPurpose::Document).await.unwrap());
}

#[test]
fn a_missing_model_file_is_named_with_a_fix() {
    embedder();
    for name in ["model.json", "tokenizer.json", "model.onnx"] {
        let copy = Copy::without(name);

        let message = copy.refusal().to_string();

        let path = copy.folder.join(name);
        assert!(message.starts_with(&format!("cannot read {}; ", path.display())), "{message}");
        assert!(message.contains("a folder with model.json, tokenizer.json and model.onnx"), "{message}");
    }
}

#[test]
fn a_corrupt_model_file_is_named_with_the_expected_content() {
    embedder();
    for (name, expected) in [
        ("model.json", "a JSON object with the `name`"),
        ("tokenizer.json", "a tokenizer in the format"),
        ("model.onnx", "a network in the ONNX format"),
    ] {
        let copy = Copy::with(name, "half a fi");

        let error = copy.refusal();

        let message = error.to_string();
        assert!(
            message.starts_with(&format!("{} cannot be used: ", copy.folder.join(name).display())),
            "{message}"
        );
        assert!(message.contains(expected), "{message}");
        assert!(error.source().is_some(), "{message}");
    }
}

#[test]
fn a_missing_library_is_named_with_a_fix() {
    embedder();
    let library = PathBuf::from("/nowhere/libonnxruntime.so");

    let error = LocalEmbedder::load(&LocalModel { runtime_library: library, ..model() }).err().unwrap();

    let message = error.to_string();
    assert!(message.starts_with("cannot read /nowhere/libonnxruntime.so; "), "{message}");
    assert!(message.contains("path of libonnxruntime.so") && message.contains("1.24 or newer"), "{message}");
}

#[test]
fn a_file_that_is_not_a_library_is_refused_and_the_right_one_still_loads() {
    let error = refused_library();

    let message = error.to_string();
    assert!(message.contains("model.json cannot be used as ONNX Runtime; give the path of"), "{message}");
    let cause = error.source().expect("the cause is kept").to_string();
    assert!(cause.contains("failed to load"), "{cause}");
    assert_eq!(embedder().dimensions(), 384);
}

#[test]
fn a_second_library_is_refused_but_not_a_link_to_the_same_one() {
    embedder();
    let copy = Copy::create();
    let (link, other) = (copy.folder.join("linked.so"), copy.folder.join("model.onnx"));
    std::os::unix::fs::symlink(model().runtime_library, &link).unwrap();
    let load =
        |library: &Path| LocalEmbedder::load(&LocalModel { runtime_library: library.to_owned(), ..model() });

    assert!(load(&link).is_ok());

    let message = load(&other).err().unwrap().to_string();
    assert!(message.starts_with("this process already uses ONNX Runtime from "), "{message}");
    assert!(message.contains(&other.display().to_string()), "{message}");
}
