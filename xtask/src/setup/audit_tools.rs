//! The part `audit-tools`: checks workflow files against their schemas and for unsafe patterns, and looks up known
//! vulnerabilities of Python packages.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::{Part, Purpose, python};
use crate::process;

pub(super) const PART: Part = Part {
    name: "audit-tools",
    source: PACKAGES,
    folder: "audit-tools/1",
    key_file: "bin/python",
    purpose: Purpose::ContinuousIntegration,
    remedy: "python3 (3.11 or newer) with venv and pip, and a reachable package index, are needed; \
             check `python3 -m pip --version`, then run `cargo xtask setup --ci` again",
    build,
};

/// All packages with their versions, including dependencies. The first line lists the tools.
const PACKAGES: &str = "\
    check-jsonschema==0.39.0 pip_audit==2.10.1 zizmor==1.32.0 \
    attrs==26.1.0 boolean.py==5.0 CacheControl==0.14.4 certifi==2026.10.18 charset-normalizer==3.5.2 click==8.5.1 \
    cyclonedx-python-lib==11.12.0 defusedxml==0.7.1 filelock==4.2.10 idna==3.20 jsonschema==4.26.0 \
    jsonschema-specifications==2025.9.1 license-expression==30.4.4 markdown-it-py==4.3.0 mdurl==0.1.2 msgpack==1.2.4 \
    packageurl-python==0.17.6 packaging==26.3 pip==26.3 pip-requirements-parser==32.0.1 pip_api==0.0.35 \
    platformdirs==4.14.5 py-serializable==2.1.0 Pygments==2.21.0 pyparsing==3.3.3 referencing==0.37.0 \
    regress==2026.9.1 requests==2.34.2 rich==15.0.0 rpds-py==2026.9.1 ruamel.yaml==0.19.1 sortedcontainers==2.4.0 \
    tomli==2.5.0 tomli_w==1.2.0 typing_extensions==4.16.0 urllib3==2.8.0";

fn build(folder: &Path) -> Result<String> {
    let packages: Vec<&str> = PACKAGES.split_whitespace().collect();
    let python = python::environment(folder, &packages)?;
    let question = "import check_jsonschema, pip_audit, importlib.metadata as m; \
                    print(', '.join(f'{n} {m.version(n)}' for n in ('check-jsonschema', 'pip-audit', 'zizmor')))";
    process::output_of(Command::new(&python).args(["-c", question]))
}
