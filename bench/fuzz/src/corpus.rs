//! Inputs that are kept: examples of the format, and what has failed once.

use std::fs;
use std::path::PathBuf;

/// An input of the corpus, with the name of its file.
pub(crate) struct Kept {
    pub(crate) file: String,
    pub(crate) input: Vec<u8>,
}

fn folder(target: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target)
}

/// The kept inputs of a target, by name.
pub(crate) fn read(target: &str) -> Vec<Kept> {
    let Ok(entries) = fs::read_dir(folder(target)) else { return Vec::new() };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.is_file());
    let mut paths: Vec<PathBuf> = paths.collect();
    paths.sort();
    let kept = paths.into_iter().filter_map(|path| {
        let file = path.file_name()?.to_string_lossy().into_owned();
        Some(Kept { file, input: fs::read(&path).ok()? })
    });
    kept.collect()
}

/// Adds an input that failed, and returns the path of its file.
pub(crate) fn add(target: &str, input: &[u8]) -> std::io::Result<PathBuf> {
    let folder = folder(target);
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("failed-{:016x}", digest(input)));
    fs::write(&path, input)?;
    Ok(path)
}

/// FNV-1a: the same in every version and on every machine.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
