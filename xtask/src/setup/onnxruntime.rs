//! The part `onnxruntime`: the library that runs embedding models, extracted from its Python wheel.
//!
//! The server loads it at run time from a path, so nothing is linked or compiled.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::{Part, Purpose, python};
use crate::process;

pub(super) const PART: Part = Part {
    name: "onnxruntime",
    source: "onnxruntime==1.31.1",
    folder: "onnxruntime/1.31.1",
    key_file: LIBRARY,
    purpose: Purpose::Development,
    remedy: "python3 with pip and a reachable package index are needed; check `python3 -m pip --version`, \
             then run `cargo xtask setup` again",
    build,
};

/// Without the version in the name of the file: the folder name has it, and settings use this file name.
const LIBRARY: &str = "libonnxruntime.so";

/// Loads the library and reads its version, which proves that it runs on this machine.
const QUESTION: &str = "
import ctypes, sys
class Base(ctypes.Structure):
    _fields_ = [('api', ctypes.c_void_p), ('version', ctypes.CFUNCTYPE(ctypes.c_char_p))]
entry = ctypes.CDLL(sys.argv[1]).OrtGetApiBase
entry.restype = ctypes.POINTER(Base)
print('ONNX Runtime', entry().contents.version().decode())
";

fn build(folder: &Path) -> Result<String> {
    let wheel = folder.join("wheel");
    python::unpack(PART.source, &wheel)?;
    let library = folder.join(LIBRARY);
    fs::rename(library_in(&wheel.join("onnxruntime/capi"))?, &library)?;
    fs::remove_dir_all(&wheel)?;
    process::output_of(Command::new("python3").args(["-c", QUESTION]).arg(&library))
}

fn library_in(folder: &Path) -> Result<PathBuf> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.path()));
    // `libonnxruntime_providers_shared.so` is only for accelerators, which are not used.
    let mut found = names.filter(|path| path.to_string_lossy().contains("/libonnxruntime.so"));
    found.next().with_context(|| format!("the wheel has no {LIBRARY} in {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary_folder::TemporaryFolder;

    #[test]
    fn the_library_is_found_under_its_versioned_name() {
        let folder = TemporaryFolder::create();
        for name in ["libonnxruntime_providers_shared.so", "libonnxruntime.so.1.31.1", "__init__.py"] {
            fs::write(folder.path().join(name), "").unwrap();
        }

        let found = library_in(folder.path()).unwrap();

        assert_eq!(found, folder.path().join("libonnxruntime.so.1.31.1"));
        fs::remove_file(found).unwrap();
        assert!(library_in(folder.path()).unwrap_err().to_string().contains("has no libonnxruntime.so"));
    }
}
