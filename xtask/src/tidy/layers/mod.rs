//! Who may import whom: imports go down, never sideways.
//!
//! The table is data, checked against what cargo says of the workspace. A crate that is not in the table is a
//! violation, so that a new one has to say where it stands. What a crate does inside is not checked here.

use serde_json::Value;

use super::Violation;
use super::tree::Tree;

/// One crate of the product.
struct Layer {
    folder: &'static str,
    /// Crates of ours that it may use.
    may: &'static [&'static str],
    /// Other people's crates that would carry it over its border.
    never: &'static [&'static str],
}

const TEST_SUPPORT: &str = "test-support";
const SCRIPTED_PROVIDER: &str = "scripted-provider";
/// Never part of what is shipped.
const FOR_TESTS: [&str; 2] = [TEST_SUPPORT, SCRIPTED_PROVIDER];
/// What talks to a disk, a network or a database.
const INPUT_OUTPUT: &[&str] =
    &["tokio", "sqlx", "reqwest", "axum", "hyper", "genai", "ort", "graphile_worker"];
/// A library stands on its own: no database, no server, no command line.
const LIBRARY_NEVER: &[&str] = &["sqlx", "axum", "clap", "graphile_worker"];
const EVERY_LOWER_CRATE: &[&str] = &[
    "types",
    "api",
    "model",
    "model-providers",
    "model-local",
    "reflection-pipeline",
    "evaluation",
    "reflexion-loop",
    "redaction",
    "store",
    "engine",
];
const UP_TO_SERVER_AND_SDK: &[&str] = &[
    "types",
    "api",
    "model",
    "model-providers",
    "model-local",
    "reflection-pipeline",
    "evaluation",
    "reflexion-loop",
    "redaction",
    "store",
    "engine",
    "server",
    "sdk",
];

const LAYERS: &[Layer] = &[
    Layer { folder: "types", may: &[], never: INPUT_OUTPUT },
    Layer { folder: "model", may: &[], never: INPUT_OUTPUT },
    Layer { folder: "redaction", may: &[], never: INPUT_OUTPUT },
    Layer { folder: "api", may: &["types"], never: INPUT_OUTPUT },
    Layer { folder: "model-providers", may: &["model"], never: LIBRARY_NEVER },
    Layer { folder: "model-local", may: &["model"], never: LIBRARY_NEVER },
    Layer { folder: "reflection-pipeline", may: &["types", "model"], never: LIBRARY_NEVER },
    Layer { folder: "evaluation", may: &["types", "model", "reflection-pipeline"], never: LIBRARY_NEVER },
    Layer {
        folder: "reflexion-loop",
        may: &["types", "model", "reflection-pipeline", "evaluation"],
        never: LIBRARY_NEVER,
    },
    Layer { folder: "store", may: &["types"], never: &["axum", "reqwest", "genai", "ort", "clap"] },
    Layer {
        folder: "engine",
        may: &["types", "model", "reflection-pipeline", "evaluation", "redaction", "store"],
        never: &["axum", "sqlx", "reqwest", "clap", "graphile_worker"],
    },
    Layer { folder: "server", may: EVERY_LOWER_CRATE, never: &["sqlx", "graphile_worker", "clap"] },
    Layer {
        folder: "sdk",
        // The last three in examples and tests.
        may: &["api", "types", "reflexion-loop", "evaluation", "model", "model-providers"],
        never: LIBRARY_NEVER,
    },
    Layer { folder: "cli", may: UP_TO_SERVER_AND_SDK, never: &[] },
    Layer {
        folder: SCRIPTED_PROVIDER,
        may: &[],
        never: &["sqlx", "reqwest", "genai", "ort", "graphile_worker"],
    },
    Layer { folder: TEST_SUPPORT, may: UP_TO_SERVER_AND_SDK, never: &[] },
];

/// The conformance run's way to the Rust client.
const DRIVER: Layer = Layer { folder: "conformance/rust-driver", may: &["sdk"], never: LIBRARY_NEVER };

/// Published under their own names; every other package carries the prefix.
const UNPREFIXED: [&str; 2] = ["reflection-pipeline", "reflexion-loop"];

/// One dependency as cargo tells it.
struct Dependency<'a> {
    name: &'a str,
    for_tests: bool,
    optional: bool,
}

/// Checks what `cargo metadata --no-deps` says.
pub(super) fn check(metadata: &Value, tree: &Tree) -> Vec<Violation> {
    let root = metadata["workspace_root"].as_str().unwrap_or_default();
    let mut violations = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let manifest = manifest.strip_prefix(root).unwrap_or(manifest).trim_start_matches('/');
        let name = package["name"].as_str().unwrap_or_default();
        let complaints = match manifest.split('/').collect::<Vec<_>>().as_slice() {
            // Benchmarks may import anything; this tool imports nothing of ours.
            ["bench", ..] => Vec::new(),
            // A program of somebody who has the client alone.
            ["conformance", "rust-driver", ..] => check_package(&DRIVER, package),
            ["xtask", ..] => check_package(&Layer { folder: "xtask", may: &[], never: &[] }, package),
            ["crates", folder, "Cargo.toml"] => check_crate(folder, name, package),
            _ => {
                let why = "lies outside crates/, bench/, conformance/rust-driver/ and xtask/";
                vec![(String::new(), format!("the member `{name}` {why}"))]
            }
        };
        let located = complaints.into_iter().map(|(dependency, why)| {
            let line = if dependency.is_empty() { 1 } else { tree.dependency_line(manifest, &dependency) };
            Violation::new(manifest, line, why)
        });
        violations.extend(located);
    }
    violations
}

/// A dependency's name, empty for the crate itself, and what is wrong with it.
type Complaint = (String, String);

fn check_crate(folder: &str, name: &str, package: &Value) -> Vec<Complaint> {
    let Some(layer) = LAYERS.iter().find(|layer| layer.folder == folder) else {
        let why =
            format!("`{folder}` is not in the table of layers; add it there and say what it may import");
        return vec![(String::new(), why)];
    };
    let mut complaints = check_package(layer, package);
    if name != package_name(folder) {
        complaints.push((
            String::new(),
            format!("the package is called `{}`, after its folder", package_name(folder)),
        ));
    }
    complaints
}

fn check_package(layer: &Layer, package: &Value) -> Vec<Complaint> {
    let dependencies = package["dependencies"].as_array().into_iter().flatten().filter_map(read_dependency);
    dependencies
        .filter_map(|dependency| complaint(layer, &dependency).map(|why| (dependency.name.to_owned(), why)))
        .collect()
}

fn complaint(layer: &Layer, dependency: &Dependency) -> Option<String> {
    let (folder, name) = (layer.folder, dependency.name);
    let Some(ours) = folder_of(name) else {
        // `types` may derive for others behind features; tests may use what they like.
        let excused = dependency.for_tests || (folder == "types" && dependency.optional);
        let banned = layer.never.contains(&name) && !excused;
        return banned
            .then(|| format!("`{folder}` must never use `{name}`: that is another layer's business"));
    };
    if FOR_TESTS.contains(&ours) {
        let excused = dependency.for_tests || folder == TEST_SUPPORT;
        return (!excused).then(|| format!("`{name}` is for tests; make it a dev-dependency"));
    }
    if layer.may.contains(&ours) {
        return None;
    }
    let allowed = if layer.may.is_empty() { "none of ours".to_owned() } else { layer.may.join(", ") };
    Some(format!("`{folder}` may not import `{ours}`; it may import {allowed}"))
}

fn read_dependency(dependency: &Value) -> Option<Dependency<'_>> {
    Some(Dependency {
        name: dependency["name"].as_str()?,
        for_tests: dependency["kind"].as_str() == Some("dev"),
        optional: dependency["optional"].as_bool().unwrap_or_default(),
    })
}

fn folder_of(package: &str) -> Option<&'static str> {
    let layer = LAYERS.iter().find(|layer| package_name(layer.folder) == package)?;
    Some(layer.folder)
}

fn package_name(folder: &str) -> String {
    if UNPREFIXED.contains(&folder) { folder.to_owned() } else { format!("reflect-{folder}") }
}

#[cfg(test)]
mod tests;
