//! Vectors in a file. Its name depends on the texts and the embedder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use reflect_model::{EmbedderIdentity, Embedding};

use crate::data::SetName;

/// The file with the vectors of these texts.
pub(super) fn path(folder: &Path, set: SetName, texts: &[String], embedder: &EmbedderIdentity) -> PathBuf {
    let mut digest = blake3::Hasher::new();
    let names = [&embedder.provider, &embedder.model, &embedder.revision];
    for part in names.into_iter().chain(texts) {
        digest.update(&(part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    folder.join(format!("{}-{}.f32", set.title().to_lowercase(), &digest.finalize().to_hex()[..16]))
}

/// The vectors in a file. `None` if the file does not exist or is incomplete.
pub(super) fn read(path: &Path, count: usize, dimensions: usize) -> anyhow::Result<Option<Vec<Embedding>>> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    if bytes.len() != count * dimensions * 4 {
        return Ok(None);
    }
    let (numbers, _) = bytes.as_chunks::<4>();
    let numbers: Vec<f32> = numbers.iter().map(|number| f32::from_le_bytes(*number)).collect();
    let vectors: Result<Vec<_>, _> =
        numbers.chunks(dimensions).map(|row| Embedding::new(row.to_vec())).collect();
    Ok(Some(vectors?))
}

/// Stores vectors. Written to another file and renamed, so that a file is never incomplete.
pub(super) fn write(path: &Path, vectors: &[Embedding]) -> anyhow::Result<()> {
    let folder = path.parent().context("a file lies in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let numbers = vectors.iter().flat_map(|vector| vector.as_slice());
    let bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
    let aside = path.with_extension(format!("partial-{}", std::process::id()));
    fs::write(&aside, bytes).with_context(|| format!("cannot write {}", aside.display()))?;
    fs::rename(&aside, path).with_context(|| format!("cannot write {}", path.display()))
}
