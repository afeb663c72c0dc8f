//! The part `schemathesis`: generates requests from the API description, and compares the responses with it.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::{Part, Purpose, python};
use crate::process;

pub(super) const PART: Part = Part {
    name: "schemathesis",
    source: PACKAGES,
    folder: "schemathesis/4.32.5",
    key_file: "bin/python",
    purpose: Purpose::ContinuousIntegration,
    remedy: "python3 (3.11 or newer) with venv and pip, and a reachable package index, are needed; \
             check `python3 -m pip --version`, then run `cargo xtask setup --ci` again",
    build,
};

/// All packages with their versions, including dependencies. The first line lists the tools.
const PACKAGES: &str = "\
    schemathesis==4.32.5 hypothesis==6.170.15 \
    anyio==4.16.0 certifi==2026.10.18 charset-normalizer==3.5.2 click==8.5.1 graphql-core==3.3.2 harfile==0.6.0 \
    hypothesis-graphql==0.13.5 idna==3.20 iniconfig==2.3.1 jsonschema_rs==0.60.3 markdown-it-py==4.3.0 \
    markupsafe==3.0.4 mdurl==0.1.2 packaging==26.3 pluggy==1.7.0 Pygments==2.21.0 pyrate-limiter==4.5.1 pytest==9.2.0 \
    PyYAML==6.0.3 requests==2.34.2 rich==15.0.0 sortedcontainers==2.4.0 typing_extensions==4.16.0 urllib3==2.8.0 \
    Werkzeug==3.1.9";

fn build(folder: &Path) -> Result<String> {
    let packages: Vec<&str> = PACKAGES.split_whitespace().collect();
    let python = python::environment(folder, &packages)?;
    let question = "import schemathesis, importlib.metadata as m; \
                    print(', '.join(f'{n} {m.version(n)}' for n in ('schemathesis', 'hypothesis')))";
    process::output_of(Command::new(&python).args(["-c", question]))
}
