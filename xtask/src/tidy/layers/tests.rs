//! Tests that the table finds violations, and only violations.

use serde_json::json;

use super::*;

/// The errors of a crate with these dependencies, given as (name, kind, optional).
fn complaints(folder: &str, package: &str, dependencies: &[(&str, Value, bool)]) -> Vec<String> {
    let dependencies: Vec<Value> = dependencies
        .iter()
        .map(|(name, kind, optional)| json!({ "name": name, "kind": kind, "optional": optional }))
        .collect();
    let manifest = format!("/repository/{folder}/Cargo.toml");
    let package = json!({ "name": package, "manifest_path": manifest, "dependencies": dependencies });
    let metadata = json!({ "workspace_root": "/repository", "packages": [package] });
    check(&metadata, &Tree::of(&[])).into_iter().map(|violation| violation.why).collect()
}

fn normal(name: &str) -> (&str, Value, bool) {
    (name, Value::Null, false)
}

fn for_tests(name: &str) -> (&str, Value, bool) {
    (name, json!("dev"), false)
}

#[test]
fn imports_go_down() {
    let dependencies = [
        normal("reflect-memory-types"),
        normal("reflect-store"),
        normal("reflect-memory-reflection-pipeline"),
    ];

    assert!(complaints("crates/engine", "reflect-engine", &dependencies).is_empty());
}

#[test]
fn imports_up_and_sideways_are_found() {
    let up = complaints("crates/store", "reflect-store", &[normal("reflect-engine")]);
    let sideways = complaints("crates/engine", "reflect-engine", &[normal("reflect-memory-api")]);
    let in_a_build_script =
        complaints("crates/store", "reflect-store", &[("reflect-memory-api", json!("build"), false)]);
    let in_tests = complaints("crates/store", "reflect-store", &[for_tests("reflect-server")]);

    assert_eq!(up, ["`store` may not import `engine`; it may import types, rules"]);
    assert!(sideways[0].starts_with("`engine` may not import `api`"));
    assert_eq!((in_a_build_script.len(), in_tests.len()), (1, 1));
}

#[test]
fn third_party_crates_are_kept_in_their_layer() {
    for (folder, banned) in
        [("engine", "sqlx"), ("server", "sqlx"), ("store", "axum"), ("model", "tokio"), ("api", "axum")]
    {
        let package = package_name(folder);
        let found = complaints(&format!("crates/{folder}"), &package, &[normal(banned), normal("serde")]);
        assert_eq!(
            found,
            [format!("`{folder}` must never use `{banned}`: that is another layer's business")]
        );
    }
    assert!(complaints("crates/engine", "reflect-engine", &[for_tests("axum")]).is_empty());
}

#[test]
fn types_may_derive_database_traits_behind_a_feature() {
    assert!(complaints("crates/types", "reflect-memory-types", &[("sqlx", Value::Null, true)]).is_empty());
    assert_eq!(complaints("crates/types", "reflect-memory-types", &[normal("sqlx")]).len(), 1);
    assert_eq!(complaints("crates/model", "reflect-memory-model", &[("sqlx", Value::Null, true)]).len(), 1);
}

#[test]
fn the_test_support_is_for_tests_and_benchmarks_only() {
    let support = "reflect-test-support";

    assert!(complaints("crates/types", "reflect-memory-types", &[for_tests(support)]).is_empty());
    assert!(
        complaints("bench/ingest", "reflect-bench-ingest", &[normal(support), normal("sqlx")]).is_empty()
    );
    for folder in ["cli", "server"] {
        let found = complaints(&format!("crates/{folder}"), &format!("reflect-{folder}"), &[normal(support)]);
        assert_eq!(found, ["`reflect-test-support` is for tests; make it a dev-dependency"]);
    }
}

#[test]
fn the_scripted_provider_is_for_tests_too() {
    let provider = "reflect-scripted-provider";

    assert!(complaints("crates/model", "reflect-memory-model", &[for_tests(provider)]).is_empty());
    assert!(complaints("crates/test-support", "reflect-test-support", &[normal(provider)]).is_empty());
    assert_eq!(complaints("crates/server", "reflect-server", &[normal(provider)]).len(), 1);
    assert_eq!(complaints("crates/scripted-provider", provider, &[normal("reflect-memory-types")]).len(), 1);
}

#[test]
fn the_conformance_driver_uses_only_the_client() {
    let found = |name| complaints("conformance/rust-driver", "reflect-conformance-driver", &[normal(name)]);

    assert!(found("reflect-memory-client").is_empty());
    assert_eq!((found("reflect-memory-api").len(), found("sqlx").len()), (1, 1));
}

#[test]
fn a_crate_that_is_not_in_the_table_is_found() {
    let unknown = complaints("crates/queue", "reflect-queue", &[]);
    let misplaced = complaints("tools/queue", "reflect-queue", &[]);
    let misnamed = complaints("crates/reflexion-loop", "reflexion-loop", &[]);

    assert!(unknown[0].contains("`queue` is not in the table of layers"));
    assert!(misplaced[0].contains("lies outside crates/"));
    assert_eq!(
        misnamed,
        ["the package of the folder `reflexion-loop` is called `reflect-memory-reflexion-loop`"]
    );
}

#[test]
fn this_tool_uses_no_workspace_crate() {
    assert_eq!(complaints("xtask", "xtask", &[normal("reflect-memory-types"), normal("anyhow")]).len(), 1);
}

#[test]
fn the_place_is_the_line_of_the_dependency() {
    let dependency = json!({ "name": "reflect-engine", "kind": null, "optional": false });
    let renamed = json!({ "name": "reflect-memory-api", "rename": "reflect-api", "kind": null });
    let manifest = "/repository/crates/store/Cargo.toml";
    let package =
        json!({ "name": "reflect-store", "manifest_path": manifest, "dependencies": [dependency, renamed] });
    let metadata = json!({ "workspace_root": "/repository", "packages": [package] });
    let tree = Tree::of(&[(
        "crates/store/Cargo.toml",
        "[features]\nreflect-engine = []\n[dependencies]\nreflect-engine.workspace = true\nreflect-api.workspace = true\n",
    )]);

    let violations = check(&metadata, &tree);

    assert_eq!((violations[0].path.as_str(), violations[0].line), ("crates/store/Cargo.toml", 4));
    assert_eq!(violations[1].line, 5);
}

#[test]
fn the_table_has_no_cycles_and_no_unknown_crates() {
    // A crate may only import crates above it in the list, so the table has no cycle.
    for (index, layer) in LAYERS.iter().enumerate() {
        for import in layer.may {
            let position = LAYERS.iter().position(|other| other.folder == *import);
            assert!(position.is_some_and(|position| position < index), "{} imports {import}", layer.folder);
        }
    }
}
