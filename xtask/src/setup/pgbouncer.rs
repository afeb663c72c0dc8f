//! The part `pgbouncer`: a connection pooler, which the tests of the store run in transaction mode. The program on the path, or
//! the package of the system, which is unpacked and not installed: an installed one would start a service.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Part, Purpose, system};
use crate::process;

const PROGRAM: &str = "pgbouncer";

pub(super) const PART: Part = Part {
    name: "pgbouncer",
    source: PROGRAM,
    folder: "pgbouncer/1",
    key_file: PROGRAM,
    purpose: Purpose::ContinuousIntegration,
    remedy: "install pgbouncer, so that it is on the path, or make `apt-get download pgbouncer` work, then run \
             `cargo xtask setup --ci` again",
    build,
};

/// The libraries of the package are beside it.
const LAUNCHER: &str = "#!/bin/sh
root=$(dirname \"$(readlink -f \"$0\")\")/root
machine=$(uname -m)-linux-gnu
exec env LD_LIBRARY_PATH=\"$root/usr/lib/$machine:$root/lib/$machine\" \"$root/usr/sbin/pgbouncer\" \"$@\"
";

fn build(folder: &Path) -> Result<String> {
    let launcher = folder.join(PROGRAM);
    match system::on_path(PROGRAM) {
        Some(program) => symlink(program, &launcher)?,
        None => {
            let depends = process::output_of(Command::new("apt-cache").args(["depends", PROGRAM]))?;
            system::unpack(&packages(&depends), &folder.join("root"))?;
            fs::write(&launcher, LAUNCHER)?;
            fs::set_permissions(&launcher, Permissions::from_mode(0o755))?;
        }
    }
    let said = process::output_of(Command::new(&launcher).arg("--version"))?;
    Ok(said.lines().next().context("pgbouncer reports no version")?.to_owned())
}

/// The package and the libraries that it depends on, except the one of C, which must be that of the system.
fn packages(depends: &str) -> Vec<&str> {
    let needed = depends.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    let libraries = needed.filter(|name| name.starts_with("lib") && *name != "libc6");
    std::iter::once(PROGRAM).chain(libraries).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_unpacked_with_its_libraries() {
        let depends =
            "pgbouncer\n  Depends: lsb-base\n  Depends: libc-ares2\n  Depends: libc6\n  Suggests: libfoo\n";

        assert_eq!(packages(depends), ["pgbouncer", "libc-ares2"]);
    }
}
