//! The table fires where it should and nowhere else.

use serde_json::json;

use super::*;

/// What is wrong with one crate that has these dependencies, given as (name, kind, optional).
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
    let dependencies = [normal("reflect-types"), normal("reflect-store"), normal("reflection-pipeline")];

    assert!(complaints("crates/engine", "reflect-engine", &dependencies).is_empty());
}

#[test]
fn imports_up_and_sideways_are_found() {
    let up = complaints("crates/store", "reflect-store", &[normal("reflect-engine")]);
    let sideways = complaints("crates/engine", "reflect-engine", &[normal("reflect-api")]);
    let in_a_build_script =
        complaints("crates/store", "reflect-store", &[("reflect-api", json!("build"), false)]);
    let in_tests = complaints("crates/store", "reflect-store", &[for_tests("reflect-server")]);

    assert_eq!(up, ["`store` may not import `engine`; it may import types"]);
    assert!(sideways[0].starts_with("`engine` may not import `api`"));
    assert_eq!((in_a_build_script.len(), in_tests.len()), (1, 1));
}

#[test]
fn other_peoples_crates_are_kept_in_their_layer() {
    for (folder, banned) in
        [("engine", "sqlx"), ("server", "sqlx"), ("store", "axum"), ("model", "tokio"), ("api", "axum")]
    {
        let package = format!("reflect-{folder}");
        let found = complaints(&format!("crates/{folder}"), &package, &[normal(banned), normal("serde")]);
        assert_eq!(
            found,
            [format!("`{folder}` must never use `{banned}`: that is another layer's business")]
        );
    }
    assert!(complaints("crates/engine", "reflect-engine", &[for_tests("axum")]).is_empty());
}

#[test]
fn the_words_may_derive_for_the_database_behind_a_feature() {
    assert!(complaints("crates/types", "reflect-types", &[("sqlx", Value::Null, true)]).is_empty());
    assert_eq!(complaints("crates/types", "reflect-types", &[normal("sqlx")]).len(), 1);
    assert_eq!(complaints("crates/model", "reflect-model", &[("sqlx", Value::Null, true)]).len(), 1);
}

#[test]
fn the_test_support_is_for_tests_and_benchmarks_only() {
    let support = "reflect-test-support";

    assert!(complaints("crates/types", "reflect-types", &[for_tests(support)]).is_empty());
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

    assert!(complaints("crates/model", "reflect-model", &[for_tests(provider)]).is_empty());
    assert!(complaints("crates/test-support", "reflect-test-support", &[normal(provider)]).is_empty());
    assert_eq!(complaints("crates/server", "reflect-server", &[normal(provider)]).len(), 1);
    assert_eq!(complaints("crates/scripted-provider", provider, &[normal("reflect-types")]).len(), 1);
}

#[test]
fn the_driver_of_the_conformance_run_has_the_client_and_nothing_beneath_it() {
    let found = |name| complaints("conformance/rust-driver", "reflect-conformance-driver", &[normal(name)]);

    assert!(found("reflect-sdk").is_empty());
    assert_eq!((found("reflect-api").len(), found("sqlx").len()), (1, 1));
}

#[test]
fn a_crate_the_table_does_not_know_is_found() {
    let unknown = complaints("crates/queue", "reflect-queue", &[]);
    let misplaced = complaints("tools/queue", "reflect-queue", &[]);
    let misnamed = complaints("crates/reflexion-loop", "reflect-reflexion-loop", &[]);

    assert!(unknown[0].contains("`queue` is not in the table of layers"));
    assert!(misplaced[0].contains("lies outside crates/"));
    assert_eq!(misnamed, ["the package is called `reflexion-loop`, after its folder"]);
}

#[test]
fn this_tool_needs_nothing_of_ours() {
    assert_eq!(complaints("xtask", "xtask", &[normal("reflect-types"), normal("anyhow")]).len(), 1);
}

#[test]
fn the_place_is_the_line_of_the_dependency() {
    let dependency = json!({ "name": "reflect-engine", "kind": null, "optional": false });
    let manifest = "/repository/crates/store/Cargo.toml";
    let package = json!({ "name": "reflect-store", "manifest_path": manifest, "dependencies": [dependency] });
    let metadata = json!({ "workspace_root": "/repository", "packages": [package] });
    let tree = Tree::of(&[(
        "crates/store/Cargo.toml",
        "[features]\nreflect-engine = []\n[dependencies]\nreflect-engine.workspace = true\n",
    )]);

    let violations = check(&metadata, &tree);

    assert_eq!((violations[0].path.as_str(), violations[0].line), ("crates/store/Cargo.toml", 4));
}

#[test]
fn the_table_has_no_cycles_and_no_strangers() {
    // A crate may only import those above it in the list, so the list itself is the order.
    for (index, layer) in LAYERS.iter().enumerate() {
        for import in layer.may {
            let position = LAYERS.iter().position(|other| other.folder == *import);
            assert!(position.is_some_and(|position| position < index), "{} imports {import}", layer.folder);
        }
    }
}
