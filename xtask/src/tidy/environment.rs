//! Only the command-line crate reads the environment. All other code gets values as arguments, so it can be tested.

use super::Violation;
use crate::sources::{Member, Tree};

/// Other files that may read it, with the reason.
const ALLOWED: [(&str, &str); 1] = [(
    "crates/sdk/src/environment.rs",
    "a program that uses the client is set up by its environment, on request",
)];

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (member, file) in tree.rust_sources() {
        // Developers run test support and tools, not users.
        if !matches!(member, Member::Product(folder) if folder != "cli" && folder != "test-support") {
            continue;
        }
        if ALLOWED.iter().any(|(path, _)| *path == file.path) {
            continue;
        }
        for (line, code) in file.rust().lines() {
            if code.contains("env::var") {
                let why = "only crates/cli reads the environment; take the value as an argument";
                violations.push(Violation::new(&file.path, line, why));
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_command_line_crate_reads_the_environment() {
        let text =
            "//! env::var is not read here.\nfn f() { std::env::var(\"A\"); }\nfn g() { env::vars_os(); }\n";

        let places =
            ["store", "server", "cli", "test-support"].map(|name| format!("crates/{name}/src/lib.rs"));
        let mut files: Vec<(&str, &str)> = places.iter().map(|path| (path.as_str(), text)).collect();
        files.extend([("xtask/src/main.rs", text), ("bench/ingest/src/main.rs", text)]);
        files.extend([("crates/sdk/src/environment.rs", text), ("crates/sdk/src/client/builder.rs", text)]);

        let found: Vec<_> = check(&Tree::of(&files)).into_iter().map(|one| (one.path, one.line)).collect();
        let expected =
            [("store/src/lib", 2), ("store/src/lib", 3), ("server/src/lib", 2), ("server/src/lib", 3)];
        let expected =
            expected.into_iter().chain([("sdk/src/client/builder", 2), ("sdk/src/client/builder", 3)]);
        let expected: Vec<_> = expected.map(|(name, line)| (format!("crates/{name}.rs"), line)).collect();
        assert_eq!(found, expected);
    }
}
