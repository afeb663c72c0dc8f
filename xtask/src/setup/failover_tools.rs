//! The part `failover-tools`: Patroni, etcd and HAProxy, with which `just faults` tests failover. The programs of the system are
//! unpacked and not installed: installed ones would start services.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Part, Purpose, python, system};
use crate::process;

pub(super) const PART: Part = Part {
    name: "failover-tools",
    source: PACKAGES,
    folder: "failover-tools/1",
    key_file: "haproxy",
    purpose: Purpose::ContinuousIntegration,
    remedy: "python3 (3.11 or newer) with venv and pip, a reachable package index, and `apt-get download` are needed; check \
             `python3 -m pip --version` and `apt-get download haproxy`, then run `cargo xtask setup --ci` again",
    build,
};

/// All packages with their versions. Patroni also requires `py-consul` and an older `ydiff`, and loads them only for Consul and to
/// edit its configuration. Its client of etcd has no wheel, so it comes from the system's packages.
const PACKAGES: &str = "\
    patroni==4.1.5 \
    click==8.5.1 dnspython==2.9.2 prettytable==3.18.0 psutil==7.2.2 psycopg==3.3.9 psycopg-binary==3.3.9 \
    python-dateutil==4.0.0 PyYAML==6.0.3 six==1.17.0 typing_extensions==4.16.0 urllib3==2.8.0 wcwidth==0.9.4 ydiff==1.5";
const ETCD_CLIENT: &str = "python3-etcd";
/// HAProxy, its libraries except that of C, and what one of those needs.
const HAPROXY: [&str; 8] = [
    "haproxy",
    "libcrypt1",
    "liblua5.3-0",
    "libopentracing-c-wrapper0",
    "libopentracing1",
    "libpcre2-8-0",
    "libssl3",
    "libsystemd0",
];

/// The libraries of the package are beside it.
const LAUNCHER: &str = "#!/bin/sh
root=$(dirname \"$(readlink -f \"$0\")\")/root
machine=$(uname -m)-linux-gnu
exec env LD_LIBRARY_PATH=\"$root/usr/lib/$machine:$root/lib/$machine\" \"$root/usr/sbin/haproxy\" \"$@\"
";

/// The folder gets `haproxy`, `root/usr/bin/etcd`, and `python/bin/python`, which has the module `patroni`.
fn build(folder: &Path) -> Result<String> {
    let root = folder.join("root");
    system::unpack(&[&["etcd-server", ETCD_CLIENT][..], &HAPROXY].concat(), &root)?;
    let launcher = folder.join("haproxy");
    fs::write(&launcher, LAUNCHER)?;
    fs::set_permissions(&launcher, Permissions::from_mode(0o755))?;
    let packages: Vec<&str> = PACKAGES.split_whitespace().collect();
    let python = python::environment(&folder.join("python"), &packages)?;
    add_etcd_client(&python, &root)?;
    let question = "import importlib.metadata, patroni.dcs.etcd3, patroni.__main__, patroni.ctl, psycopg; \
                    print(importlib.metadata.version('patroni'))";
    let patroni = process::output_of(Command::new(&python).args(["-c", question]))?;
    let etcd = version(&root.join("usr/bin/etcd"), "--version")?;
    let haproxy = version(&launcher, "-v")?;
    Ok(format!("Patroni {}, {etcd}, {haproxy}", patroni.trim()))
}

/// Moves the client's module into the environment of Patroni.
fn add_etcd_client(python: &Path, root: &Path) -> Result<()> {
    let question = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let libraries = process::output_of(Command::new(python).args(["-c", question]))?;
    let module = root.join("usr/lib/python3/dist-packages/etcd");
    fs::rename(&module, Path::new(libraries.trim()).join("etcd"))
        .with_context(|| format!("{ETCD_CLIENT} has no {}", module.display()))
}

/// The first line of what a program says about its version.
fn version(program: &Path, flag: &str) -> Result<String> {
    let said = process::output_of(Command::new(program).arg(flag))?;
    let line = said.lines().next().with_context(|| format!("{} reports no version", program.display()))?;
    Ok(line.split(" - ").next().unwrap_or(line).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_named_once_with_its_version() {
        python::check_list(PACKAGES);
    }
}
