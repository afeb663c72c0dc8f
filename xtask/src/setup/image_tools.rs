//! The part `image-tools`: builds and inspects container images without a container engine, for `just image`. From the
//! system's package manager.

use std::path::Path;

use anyhow::Result;

use super::{Part, Purpose, system};

pub(super) const PART: Part = Part {
    name: "image-tools",
    source: PACKAGES,
    folder: "image-tools/1",
    key_file: "skopeo",
    purpose: Purpose::ContinuousIntegration,
    remedy: "install them (on Debian, as root: `apt-get install mmdebstrap umoci skopeo \
             debian-archive-keyring`), so that they are on the path, then run `cargo xtask setup --ci` again",
    build,
};

/// Each package has one program with the same name. The last one is the key file.
const PACKAGES: &str = "mmdebstrap umoci skopeo";

/// The keys of Debian's package archive. Other distributions do not have them.
const KEYRING: (&str, &str) = ("debian-archive-keyring", "/usr/share/keyrings/debian-archive-keyring.gpg");

fn build(folder: &Path) -> Result<String> {
    let (package, file) = KEYRING;
    if !Path::new(file).exists() {
        system::install(package)?;
    }
    let versions = PACKAGES.split_whitespace().map(|package| system::link(package, folder, "--version"));
    Ok(versions.collect::<Result<Vec<_>>>()?.join(", "))
}
