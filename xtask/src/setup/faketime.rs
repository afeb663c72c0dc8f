//! The part `faketime`: a library that gives a process another clock, for `just faults` and `just endurance`. The package of
//! the system, which is unpacked and not installed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Part, Purpose, system};

const PACKAGE: &str = "libfaketime";
/// For processes with several threads, and for those with one.
const LIBRARIES: [&str; 2] = ["libfaketimeMT.so.1", "libfaketime.so.1"];

pub(super) const PART: Part = Part {
    name: "faketime",
    source: PACKAGE,
    folder: "faketime/2",
    key_file: LIBRARIES[1],
    purpose: Purpose::ContinuousIntegration,
    remedy: "make `apt-get download libfaketime` work, then run `cargo xtask setup --ci` again",
    build,
};

fn build(folder: &Path) -> Result<String> {
    let root = folder.join("root");
    system::unpack(&[PACKAGE], &root)?;
    for library in LIBRARIES {
        let found = find(&root.join("usr/lib"), library)?;
        fs::rename(found.with_context(|| format!("{PACKAGE} has no {library}"))?, folder.join(library))?;
    }
    fs::remove_dir_all(root)?;
    Ok(format!("{PACKAGE} of the system"))
}

/// The folder of libraries has the name of the machine.
fn find(libraries: &Path, name: &str) -> Result<Option<PathBuf>> {
    for machine in fs::read_dir(libraries)? {
        let library = machine?.path().join("faketime").join(name);
        if library.is_file() {
            return Ok(Some(library));
        }
    }
    Ok(None)
}
