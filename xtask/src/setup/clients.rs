//! The parts `client-…`: published versions of the Python client, unmodified, each in its own environment; and the
//! dependencies of our own client.
//!
//! The conformance run uses them through `bin/python` only.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::{Part, Purpose, python};
use crate::process;

/// The version that must work completely.
pub(super) const PRESENT: Part = Part {
    name: "client-0.3.3",
    source: "reflect-sdk==0.3.3",
    folder: "clients/0.3.3",
    key_file: "bin/python",
    purpose: Purpose::Development,
    remedy: "python3 (3.11 or newer) with venv and pip, and a reachable package index, are needed; \
             check `python3 -m pip --version`, then run `cargo xtask setup` again",
    build: |folder| build(folder, PRESENT.source),
};

/// An earlier version that is still in use.
pub(super) const EARLIER: Part = Part {
    name: "client-0.2.0",
    source: "reflect-sdk==0.2.0",
    folder: "clients/0.2.0",
    build: |folder| build(folder, EARLIER.source),
    ..PRESENT
};

/// Only the dependencies of our client, so that a missing declaration is noticed. The client itself comes from the
/// checkout.
pub(super) const OWN: Part = Part {
    name: "client-own",
    source: "httpx2==2.16.0 anyio==4.16.0 h11==0.16.0 httpcore2==2.16.0 idna==3.20 truststore==0.10.5 \
             typing_extensions==4.16.0",
    folder: "clients/own",
    build: |folder| {
        let packages: Vec<&str> = OWN.source.split_whitespace().collect();
        let python = python::environment(folder, &packages)?;
        let question = "import platform, httpx2; \
                        print('httpx2', httpx2.__version__, 'on Python', platform.python_version())";
        process::output_of(Command::new(&python).args(["-c", question]))
    },
    ..PRESENT
};

/// What the published clients need: the newest versions that fitted when this list was written.
const DEPENDENCIES: &str = "\
    annotated-types==0.8.0 anyio==4.16.0 attrs==26.1.0 certifi==2026.10.18 cffi==2.1.1 charset-normalizer==3.5.2 \
    click==8.5.1 cryptography==50.0.2 griffelib==2.4.1 h11==0.16.0 httpcore==1.0.9 httpcore2==2.16.0 httpx==0.28.1 \
    httpx2==2.16.0 idna==3.20 jiter==0.19.0 jsonschema==4.26.0 jsonschema-specifications==2025.9.1 mcp==2.3.0 \
    mcp-types==2.3.0 ollama==0.6.3 openai==3.49.0 openai-agents==0.24.0 opentelemetry-api==1.45.2 pycparser==3.12 \
    pydantic==2.14.3 pydantic_core==2.50.4 PyJWT==2.15.1 python-multipart==0.0.33 referencing==0.37.0 \
    requests==2.34.2 rpds-py==2026.9.1 sniffio==1.3.1 sse-starlette==3.7.0 starlette==1.10.0 truststore==0.10.5 \
    typing-inspection==0.4.5 typing_extensions==4.16.0 urllib3==2.8.0 uvicorn==0.54.0 websockets==16.1.1";

fn build(folder: &Path, package: &str) -> Result<String> {
    let packages: Vec<&str> = DEPENDENCIES.split_whitespace().chain([package]).collect();
    let python = python::environment(folder, &packages)?;
    let question = "import platform, importlib.metadata as m, reflect_sdk; \
                    print('reflect-sdk', m.version('reflect-sdk'), 'on Python', platform.python_version())";
    process::output_of(Command::new(&python).args(["-c", question]))
}
