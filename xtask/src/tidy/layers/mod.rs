//! Which crate may import which: a crate imports only from layers below it.
//!
//! The table is data, and is compared with the output of `cargo metadata`. A crate that is not in the table is a
//! violation, so a new crate must be added.

use serde_json::Value;

use super::Violation;
use crate::sources::Tree;

/// One crate of the product.
struct Layer {
    folder: &'static str,
    /// The workspace crates that it may use.
    may: &'static [&'static str],
    /// Third-party crates that belong to another layer.
    never: &'static [&'static str],
}

const TEST_SUPPORT: &str = "test-support";
const SCRIPTED_PROVIDER: &str = "scripted-provider";
/// Never part of the product.
const FOR_TESTS: [&str; 2] = [TEST_SUPPORT, SCRIPTED_PROVIDER];
/// Crates for disk, network or database access.
const INPUT_OUTPUT: &[&str] = &["tokio", "sqlx", "reqwest", "axum", "hyper", "genai", "ort"];
/// A library must not depend on a database, a server or a command line.
const LIBRARY_NEVER: &[&str] = &["sqlx", "axum", "clap"];
const EVERY_LOWER_CRATE: &[&str] = &[
    "types",
    "trajectory",
    "api",
    "model",
    "model-providers",
    "model-local",
    "outbound",
    "oidc",
    "webhook-client",
    "reflection-pipeline",
    "evaluation",
    "reflexion-loop",
    "redaction",
    "rules",
    "store",
    "engine",
];
const UP_TO_SERVER_AND_SDK: &[&str] = &[
    "types",
    "trajectory",
    "api",
    "model",
    "model-providers",
    "model-local",
    "outbound",
    "oidc",
    "webhook-client",
    "reflection-pipeline",
    "evaluation",
    "reflexion-loop",
    "redaction",
    "rules",
    "store",
    "engine",
    "server",
    "sdk",
];

const LAYERS: &[Layer] = &[
    Layer { folder: "types", may: &[], never: INPUT_OUTPUT },
    Layer { folder: "trajectory", may: &["types"], never: INPUT_OUTPUT },
    Layer { folder: "model", may: &[], never: INPUT_OUTPUT },
    Layer { folder: "redaction", may: &[], never: INPUT_OUTPUT },
    Layer { folder: "rules", may: &["types"], never: INPUT_OUTPUT },
    Layer { folder: "api", may: &["types"], never: INPUT_OUTPUT },
    Layer { folder: "outbound", may: &[], never: LIBRARY_NEVER },
    Layer { folder: "oidc", may: &["types", "outbound"], never: LIBRARY_NEVER },
    Layer { folder: "webhook-client", may: &["outbound"], never: LIBRARY_NEVER },
    Layer { folder: "model-providers", may: &["model", "outbound"], never: LIBRARY_NEVER },
    Layer { folder: "model-local", may: &["model"], never: LIBRARY_NEVER },
    Layer { folder: "reflection-pipeline", may: &["types", "trajectory", "model"], never: LIBRARY_NEVER },
    Layer {
        folder: "evaluation",
        may: &["types", "trajectory", "model", "reflection-pipeline"],
        never: LIBRARY_NEVER,
    },
    Layer {
        folder: "reflexion-loop",
        may: &["types", "model", "reflection-pipeline", "evaluation"],
        never: LIBRARY_NEVER,
    },
    Layer { folder: "store", may: &["types", "rules"], never: &["axum", "reqwest", "genai", "ort", "clap"] },
    Layer {
        folder: "engine",
        may: &[
            "types",
            "trajectory",
            "model",
            "reflection-pipeline",
            "evaluation",
            "redaction",
            "rules",
            "store",
            "oidc",
            "webhook-client",
        ],
        never: &["axum", "sqlx", "reqwest", "clap"],
    },
    Layer { folder: "server", may: EVERY_LOWER_CRATE, never: &["sqlx", "clap"] },
    Layer {
        folder: "sdk",
        // The last three only in examples and tests.
        may: &["api", "types", "reflexion-loop", "evaluation", "model", "model-providers"],
        never: LIBRARY_NEVER,
    },
    Layer { folder: "cli", may: UP_TO_SERVER_AND_SDK, never: &[] },
    Layer { folder: SCRIPTED_PROVIDER, may: &[], never: &["sqlx", "reqwest", "genai", "ort"] },
    Layer { folder: TEST_SUPPORT, may: UP_TO_SERVER_AND_SDK, never: &[] },
];

/// The program through which the conformance run uses the Rust client.
const DRIVER: Layer = Layer { folder: "conformance/rust-driver", may: &["sdk"], never: LIBRARY_NEVER };

/// Published to a registry: their names are of one family (docs/PACKAGES.md). All other packages have the prefix
/// `reflect-`.
const PUBLISHED: [&str; 7] =
    ["types", "trajectory", "api", "model", "reflection-pipeline", "evaluation", "reflexion-loop"];

/// One dependency in the output of cargo.
struct Dependency<'a> {
    name: &'a str,
    /// The name in the manifest, which can differ from the name of the package.
    key: &'a str,
    for_tests: bool,
    optional: bool,
}

/// Checks the output of `cargo metadata --no-deps`.
pub(super) fn check(metadata: &Value, tree: &Tree) -> Vec<Violation> {
    let root = metadata["workspace_root"].as_str().unwrap_or_default();
    let mut violations = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let manifest = manifest.strip_prefix(root).unwrap_or(manifest).trim_start_matches('/');
        let name = package["name"].as_str().unwrap_or_default();
        let complaints = match manifest.split('/').collect::<Vec<_>>().as_slice() {
            // Benchmarks may import anything. This tool imports no workspace crate.
            ["bench", ..] => Vec::new(),
            // Has no code; `cargo xtask features` generates and checks it.
            ["workspace-features", ..] => Vec::new(),
            // A program that uses only the client.
            ["conformance", "rust-driver", ..] => check_package(&DRIVER, package),
            ["xtask", ..] => check_package(&Layer { folder: "xtask", may: &[], never: &[] }, package),
            ["crates", folder, "Cargo.toml"] => check_crate(folder, name, package),
            _ => {
                let why =
                    "lies outside crates/, bench/, conformance/rust-driver/, workspace-features/ and xtask/";
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

/// The name of a dependency in the manifest, empty for the crate itself, and the error.
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
            format!("the package of the folder `{folder}` is called `{}`", package_name(folder)),
        ));
    }
    complaints
}

fn check_package(layer: &Layer, package: &Value) -> Vec<Complaint> {
    let dependencies = package["dependencies"].as_array().into_iter().flatten().filter_map(read_dependency);
    dependencies
        .filter_map(|dependency| complaint(layer, &dependency).map(|why| (dependency.key.to_owned(), why)))
        .collect()
}

fn complaint(layer: &Layer, dependency: &Dependency) -> Option<String> {
    let (folder, name) = (layer.folder, dependency.name);
    let Some(ours) = folder_of(name) else {
        // `types` may derive traits of other crates behind features. Tests may use any crate.
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
    let name = dependency["name"].as_str()?;
    Some(Dependency {
        name,
        key: dependency["rename"].as_str().unwrap_or(name),
        for_tests: dependency["kind"].as_str() == Some("dev"),
        optional: dependency["optional"].as_bool().unwrap_or_default(),
    })
}

fn folder_of(package: &str) -> Option<&'static str> {
    let layer = LAYERS.iter().find(|layer| package_name(layer.folder) == package)?;
    Some(layer.folder)
}

fn package_name(folder: &str) -> String {
    match folder {
        "sdk" => "reflect-memory-client".to_owned(),
        _ if PUBLISHED.contains(&folder) => format!("reflect-memory-{folder}"),
        _ => format!("reflect-{folder}"),
    }
}

#[cfg(test)]
mod tests;
