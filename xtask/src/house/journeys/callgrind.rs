//! Reads the output of callgrind: the files of the functions that ran.
//!
//! The format is described in Valgrind's manual under "Callgrind Format Specification". A function counts if instructions
//! of its own were counted. Its callers are listed too, with the cost of their calls only, and do not count. Code of
//! other crates that was compiled into ours has a place in our files only by accident, so the crate in the name of the
//! function must be the crate of the file.

use std::collections::{BTreeSet, HashMap};

/// Files of this repository with a function that ran, as paths from the root of the repository.
pub(super) fn files(output: &str) -> BTreeSet<String> {
    let (mut file_names, mut function_names) = (HashMap::new(), HashMap::new());
    let mut found = BTreeSet::new();
    let (mut file, mut function) = ("", "");
    let mut after_call = false;
    for line in output.lines() {
        if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            if !after_call {
                found.extend(inside(file, function));
            }
            after_call = false;
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        after_call = key == "calls";
        match key {
            "fl" => file = name(&mut file_names, value),
            "fn" => function = name(&mut function_names, value),
            // Of called functions and of code that was compiled into this one: read for their numbers.
            "fi" | "fe" | "cfi" | "cfl" => _ = name(&mut file_names, value),
            "cfn" => _ = name(&mut function_names, value),
            _ => {}
        }
    }
    found
}

/// `(7) name` defines the number 7, `(7)` refers to it.
fn name<'a>(names: &mut HashMap<&'a str, &'a str>, value: &'a str) -> &'a str {
    match value.split_once(' ') {
        Some((number, name)) if number.starts_with('(') => {
            names.insert(number, name);
            name
        }
        _ => names.get(value).copied().unwrap_or(value),
    }
}

/// The path from the root of the repository, if the function belongs to the crate of the file.
fn inside(file: &str, function: &str) -> Option<String> {
    let at = file.find("crates/").filter(|at| *at == 0 || file[..*at].ends_with('/'))?;
    let (folder, _) = file[at + "crates/".len()..].split_once('/')?;
    let own = format!("reflect_{}::", folder.replace('-', "_"));
    function.contains(&own).then(|| file[at..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_names_are_resolved_and_callers_do_not_count() {
        let output = "events: Ir\nfl=(9) /r/crates/server/src/caller.rs\nfn=(9) reflect_server::c\ncfi=(1)\ncfn=(1)\n\
            calls=1 7\n2 9\nfl=(1) /r/crates/server/src/a.rs\nfn=(1) reflect_server::a\n1 5\n\
            fi=(3) /r/crates/server/src/lib.rs\n1 5\ncfi=(2) /r/crates/store/src/b.rs\ncfn=(2) reflect_store::b\n\
            calls=1 7\n2 9\nfl=(3)\nfn=(3) core::iter::next\n1 1\nfl=(2)\nfn=(2)\n1 1\n";

        let found: Vec<String> = files(output).into_iter().collect();
        assert_eq!(found, ["crates/server/src/a.rs", "crates/store/src/b.rs"]);
    }
}
