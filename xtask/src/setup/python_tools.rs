//! The part `python-tools`: the tools that check, test and package the Python SDK, in one environment.
//!
//! It also has the frameworks that the adapters are tested with. Programs are run as `bin/python -m …`.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::{Part, Purpose, python};
use crate::process;

pub(super) const PART: Part = Part {
    name: "python-tools",
    source: PACKAGES,
    folder: "python-tools/1",
    key_file: "bin/python",
    purpose: Purpose::Sdk,
    remedy: "python3 (3.11 or newer) with venv and pip, and a reachable package index, are needed; \
             check `python3 -m pip --version`, then run `cargo xtask setup --sdk` again",
    build,
};

/// All packages with their versions, including dependencies: the same on every machine, and pip has nothing to resolve.
/// The first lines list the tools.
const PACKAGES: &str = "\
    httpx2==2.16.0 pytest==9.2.0 hypothesis==6.170.15 mypy==2.4.1 ruff==0.17.4 hatchling==1.33.0 \
    gunicorn==27.0.0 openai==3.49.0 openai-agents==0.24.0 langchain-core==1.7.2 langgraph==1.2.20 \
    deepagents==0.7.32 langchain-openai==1.7.3 standardwebhooks==1.1.0 \
    annotated-types==0.8.0 anthropic==2.8.0 anyio==4.16.0 ast_serialize==0.13.1 attrs==26.1.0 \
    bracex==3.2.2 certifi==2026.10.18 cffi==2.1.1 charset-normalizer==3.5.2 click==8.5.1 \
    cryptography==50.0.2 distro==1.9.0 docstring_parser==0.18.0 filetype==1.2.0 google-auth==2.62.2 \
    google-genai==2.34.0 griffelib==2.4.1 h11==0.16.0 httpcore==1.0.9 httpcore2==2.16.0 httpx==0.28.1 \
    idna==3.20 iniconfig==2.3.1 jiter==0.19.0 jsonpatch==1.46 jsonpointer==3.11 jsonschema==4.26.0 \
    jsonschema-specifications==2025.9.1 langchain==1.4.7 langchain-anthropic==1.7.7 \
    langchain-google-genai==4.4.2 langchain-protocol==0.0.20 langgraph-checkpoint==4.3.1 \
    langgraph-prebuilt==1.1.1 langgraph-sdk==0.4.14 langsmith==0.14.17 librt==0.16.0 mcp==2.3.0 \
    mcp-types==2.3.0 mypy_extensions==1.2.0 opentelemetry-api==1.45.2 orjson==3.13.0 ormsgpack==1.13.1 \
    packaging==26.3 pathspec==1.1.1 pluggy==1.7.0 pyasn1==0.6.5 pyasn1_modules==0.4.2 pycparser==3.12 \
    pydantic==2.14.3 pydantic_core==2.50.4 Pygments==2.21.0 PyJWT==2.15.1 python-multipart==0.0.33 \
    PyYAML==6.0.3 referencing==0.37.0 regex==2026.11.9 requests==2.34.2 requests-toolbelt==1.0.0 \
    rpds-py==2026.9.1 sniffio==1.3.1 sortedcontainers==2.4.0 sse-starlette==3.7.0 starlette==1.10.0 \
    tenacity==9.1.4 tiktoken==0.14.0 tomlkit==0.15.2 trove-classifiers==2026.9.21.13 truststore==0.10.5 \
    typing-inspection==0.4.5 typing_extensions==4.16.0 urllib3==2.8.0 uuid_utils==0.19.0 uvicorn==0.54.0 \
    wcmatch==11.2 websockets==16.1.1 xxhash==4.1.0 zstandard==0.25.0";

/// Imports the packages, so that a missing one is found here and not during a check.
const QUESTION: &str = "
import importlib.metadata as m, platform, ruff
import agents, deepagents, gunicorn, hatchling, httpx2, hypothesis, langchain_openai, langgraph.graph, openai
import standardwebhooks
ruff.find_ruff_bin()
names = ['ruff', 'mypy', 'pytest', 'hatchling', 'httpx2', 'openai', 'openai-agents', 'langchain-core']
print(', '.join(f'{name} {m.version(name)}' for name in names), 'on Python', platform.python_version())
";

fn build(folder: &Path) -> Result<String> {
    let packages: Vec<&str> = PACKAGES.split_whitespace().collect();
    let python = python::environment(folder, &packages)?;
    process::output_of(Command::new(&python).args(["-c", QUESTION]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_named_once_and_with_its_version() {
        python::check_list(PACKAGES);
    }
}
