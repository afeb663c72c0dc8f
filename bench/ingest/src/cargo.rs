//! Calls cargo from a program that cargo runs.

use std::process::Command;

/// Variables that cargo sets for a program. Some build scripts read them. A nested cargo with these variables would
/// rebuild many packages, and the next cargo without them would rebuild them again.
const OF_THE_CALLER: [&str; 7] = [
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_LINKS",
    "CARGO_PKG_NAME",
    "CARGO_PKG_VERSION_MAJOR",
    "CARGO_PKG_VERSION_MINOR",
    "CARGO_PKG_VERSION_PATCH",
    "CARGO_PKG_VERSION_PRE",
];

/// Cargo, with the environment of a shell.
pub fn cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    for name in OF_THE_CALLER {
        cargo.env_remove(name);
    }
    cargo
}
