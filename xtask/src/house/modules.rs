//! Module cycles and upward imports inside one crate, and the type with the most methods.
//!
//! Definitions:
//! - A module is a file or a folder of `src`. A module written in place belongs to its file.
//! - Module A uses module B if code in A or below it names an item in B or below it. A name that is re-exported leads
//!   to the module that defines it.
//! - A cycle is a set of modules with the same parent that use each other, directly or through siblings.
//! - An upward import is the use of an item that the crate's root file (`lib.rs`) defines or re-exports, by any other
//!   module. The root file may use every module, so each such import closes a cycle.
//!
//! A child that uses an item of its own parent folder (`super::Item`) is neither: parent and child are one unit.

use std::collections::{BTreeMap, BTreeSet};

use super::syntax::{Facts, Import};

/// How many re-exports may follow one another.
const MAX_HOPS: usize = 8;

type Path = Vec<String>;

/// The modules of one crate by their path from the root.
pub(super) struct Modules {
    by_path: BTreeMap<Path, Module>,
}

struct Module {
    file: String,
    facts: Facts,
}

/// Where a name leads.
#[derive(Debug, PartialEq, Eq)]
struct Target {
    module: Path,
    item: Option<String>,
    /// Whether the name was looked up in the root file.
    through_root: bool,
}

/// An import through the root file.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UpwardImport {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) item: String,
}

/// A set of modules that use each other, with one import for each arrow between them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cycle {
    pub(super) modules: Vec<String>,
    pub(super) examples: Vec<String>,
}

impl Modules {
    /// From the files below a crate's `src`, each with its path from there.
    pub(super) fn of<'a>(files: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> Self {
        let files: Vec<_> = files.collect();
        let root = if files.iter().any(|(_, inside, _)| *inside == "lib.rs") { "lib.rs" } else { "main.rs" };
        let modules = files.into_iter().filter_map(|(file, inside, text)| {
            let path = if inside == root { Path::new() } else { module_path(inside)? };
            Some((path, Module { file: file.to_owned(), facts: Facts::read(text) }))
        });
        Self { by_path: modules.collect() }
    }

    /// Every use of an item of the root file.
    pub(super) fn upward_imports(&self) -> Vec<UpwardImport> {
        let mut found = BTreeSet::new();
        for (path, module) in self.by_path.iter().filter(|(path, _)| !path.is_empty()) {
            for (line, name) in names(&module.facts) {
                let Some(target) = self.resolve(path, name, 0) else { continue };
                if target.through_root {
                    let item = target.item.unwrap_or_else(|| "*".to_owned());
                    found.insert(UpwardImport { file: module.file.clone(), line, item });
                }
            }
        }
        let mut seen = BTreeSet::new();
        found.into_iter().filter(|one| seen.insert((one.file.clone(), one.item.clone()))).collect()
    }

    /// Every cycle, outermost modules first.
    pub(super) fn cycles(&self) -> Vec<Cycle> {
        let mut arrows: BTreeMap<Path, BTreeMap<(String, String), String>> = BTreeMap::new();
        for (path, module) in &self.by_path {
            for (line, name) in names(&module.facts) {
                let Some(target) = self.resolve(path, name, 0) else { continue };
                let depth = path.iter().zip(&target.module).take_while(|(a, b)| a == b).count();
                if let (Some(from), Some(to)) = (path.get(depth), target.module.get(depth)) {
                    let siblings = arrows.entry(path[..depth].to_vec()).or_default();
                    let example = format!("{}:{line} uses {}", module.file, shown(&target));
                    siblings.entry((from.clone(), to.clone())).or_insert(example);
                }
            }
        }
        arrows.iter().flat_map(|(parent, arrows)| cycles_among(parent, arrows)).collect()
    }

    /// How many functions each type has in inherent `impl` blocks, most first.
    pub(super) fn methods(&self) -> Vec<(usize, String)> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (path, module) in &self.by_path {
            for name in &module.facts.methods {
                let resolved = self.resolve(path, name, 0);
                let key = match resolved {
                    Some(target) => shown(&target),
                    None => [path.as_slice(), name].concat().join("::"),
                };
                *counts.entry(key).or_default() += 1;
            }
        }
        let mut counts: Vec<_> = counts.into_iter().map(|(name, count)| (count, name)).collect();
        counts.sort_by(|a, b| b.cmp(a));
        counts
    }

    /// Where a name that is written in a module leads, if that is inside this crate.
    fn resolve(&self, from: &Path, name: &[String], hops: usize) -> Option<Target> {
        let (first, rest) = name.split_first()?;
        if hops > MAX_HOPS {
            return None;
        }
        match first.as_str() {
            "crate" => self.locate(&Path::new(), rest, hops),
            "self" => self.locate(from, rest, hops),
            "super" => {
                let parent = from.split_last()?.1.to_vec();
                match rest.first() {
                    Some(next) if next == "super" => self.resolve(&parent, rest, hops),
                    _ => self.locate(&parent, rest, hops),
                }
            }
            _ => {
                let facts = &self.by_path.get(from)?.facts;
                let child = [from.as_slice(), std::slice::from_ref(first)].concat();
                if self.by_path.contains_key(&child) {
                    return self.locate(from, name, hops);
                }
                if let Some(import) = facts.imports.iter().find(|import| import.name == *first) {
                    return self.resolve(from, &[import.path.as_slice(), rest].concat(), hops + 1);
                }
                let globs = facts.imports.iter().filter(|import| import.name == "*");
                let through = globs.filter_map(|glob| self.through_glob(from, glob, first, hops)).next();
                through.or_else(|| {
                    let defined = facts.items.contains(first);
                    defined.then(|| Target {
                        module: from.clone(),
                        item: Some(first.clone()),
                        through_root: false,
                    })
                })
            }
        }
    }

    /// Follows a path that starts at a module.
    fn locate(&self, module: &Path, rest: &[String], hops: usize) -> Option<Target> {
        let mut module = module.clone();
        let mut rest = rest;
        while let Some((next, after)) = rest.split_first() {
            let child = [module.as_slice(), std::slice::from_ref(next)].concat();
            if !self.by_path.contains_key(&child) {
                break;
            }
            module = child;
            rest = after;
        }
        let facts = &self.by_path.get(&module)?.facts;
        let Some(item) = rest.first() else {
            return Some(Target { module, item: None, through_root: false });
        };
        let through_root = module.is_empty();
        let direct = Target { module: module.clone(), item: Some(item.clone()), through_root };
        if facts.items.contains(item) {
            return Some(direct);
        }
        let named = facts.imports.iter().find(|import| import.name == *item);
        let found = match named {
            Some(import) => self.resolve(&module, &[import.path.as_slice(), &rest[1..]].concat(), hops + 1),
            None => {
                let globs = facts.imports.iter().filter(|import| import.name == "*");
                globs.filter_map(|glob| self.through_glob(&module, glob, item, hops)).next()
            }
        };
        let found = found.unwrap_or(direct);
        Some(Target { through_root: through_root || found.through_root, ..found })
    }

    fn through_glob(&self, from: &Path, glob: &Import, item: &str, hops: usize) -> Option<Target> {
        let target = self.resolve(from, &glob.path, hops + 1)?;
        if target.item.is_some() || target.module == *from {
            return None;
        }
        let facts = &self.by_path.get(&target.module)?.facts;
        let known = facts.items.contains(item) || facts.imports.iter().any(|import| import.name == item);
        known.then(|| self.locate(&target.module, &[item.to_owned()], hops + 1))?
    }
}

/// All names that a file uses, with their lines.
fn names(facts: &Facts) -> impl Iterator<Item = (usize, &[String])> {
    let imports = facts.imports.iter().map(|import| (import.line, import.path.as_slice()));
    imports.chain(facts.mentions.iter().map(|mention| (mention.line, mention.path.as_slice())))
}

fn shown(target: &Target) -> String {
    target.module.iter().chain(&target.item).cloned().collect::<Vec<_>>().join("::")
}

/// `None` for tests and for further programs of the crate, which are roots of their own.
fn module_path(inside: &str) -> Option<Path> {
    let mut parts: Path = inside.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    let is_test = |part: &String| ["tests", "fuzz"].contains(&part.as_str());
    if parts.iter().any(is_test) || parts[0] == "bin" {
        return None;
    }
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    Some(parts)
}

fn cycles_among(parent: &Path, arrows: &BTreeMap<(String, String), String>) -> Vec<Cycle> {
    let names: BTreeSet<&String> = arrows.keys().flat_map(|(from, to)| [from, to]).collect();
    let mut reached: BTreeSet<(&String, &String)> = arrows.keys().map(|(from, to)| (from, to)).collect();
    for middle in &names {
        for from in
            names.iter().filter(|from| reached.contains(&(**from, *middle))).copied().collect::<Vec<_>>()
        {
            let to = names.iter().filter(|to| reached.contains(&(*middle, **to)));
            let new: Vec<_> = to.map(|to| (from, *to)).collect();
            reached.extend(new);
        }
    }
    let together = |a: &String, b: &String| reached.contains(&(a, b)) && reached.contains(&(b, a));
    let mut cycles = Vec::new();
    let mut done: BTreeSet<&String> = BTreeSet::new();
    for name in &names {
        let members: Vec<&String> =
            names.iter().copied().filter(|other| *other != *name && together(name, other)).collect();
        if members.is_empty() || !done.insert(*name) {
            continue;
        }
        done.extend(&members);
        let members: BTreeSet<&String> = members.into_iter().chain([*name]).collect();
        let inside = arrows.iter().filter(|((from, to), _)| members.contains(from) && members.contains(to));
        let path = |name: &String| parent.iter().chain([name]).cloned().collect::<Vec<_>>().join("::");
        cycles.push(Cycle {
            modules: members.iter().map(|name| path(name)).collect(),
            examples: inside.map(|((from, to), example)| format!("{from} → {to}: {example}")).collect(),
        });
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules(files: &[(&'static str, &'static str)]) -> Modules {
        Modules::of(files.iter().map(|(path, text)| (*path, *path, *text)))
    }

    #[test]
    fn siblings_that_use_each_other_are_a_cycle_at_every_level() {
        let found = modules(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a/mod.rs", "mod x; mod y;"),
            ("a/x.rs", "use super::y::Y; pub struct X;"),
            ("a/y.rs", "pub struct Y; fn f(x: super::x::X) {}"),
            ("b.rs", "use crate::c::C; pub struct B;"),
            ("c.rs", "use crate::a::x::X; pub struct C;"),
        ]);

        let cycles: Vec<_> = found.cycles().into_iter().map(|cycle| cycle.modules).collect();
        assert_eq!(cycles, [["a::x", "a::y"]]);
    }

    #[test]
    fn a_re_export_leads_to_the_module_that_defines_the_item() {
        let found = modules(&[
            ("lib.rs", "mod a; mod b; pub use a::A;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            ("b/mod.rs", "mod inner; pub use inner::*;"),
            ("b/inner.rs", "use crate::A; pub struct B;"),
        ]);

        assert_eq!(found.cycles()[0].modules, ["a", "b"]);
        let upward = found.upward_imports();
        assert_eq!(upward, [UpwardImport { file: "b/inner.rs".into(), line: 1, item: "A".into() }]);
    }

    #[test]
    fn a_child_may_use_its_parent_and_anything_below() {
        let found = modules(&[
            ("lib.rs", "mod a; pub use a::A;"),
            ("a/mod.rs", "mod x; pub struct A; fn f() { x::g() }"),
            ("a/x.rs", "use super::A; impl A { fn h() {} } pub fn g() {}"),
        ]);

        assert!(found.cycles().is_empty() && found.upward_imports().is_empty());
    }

    #[test]
    fn methods_are_counted_over_all_files_of_the_type() {
        let found = modules(&[
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "mod x; pub struct A; impl A { fn f() {} }"),
            ("a/x.rs", "use super::A; impl A { fn g() {} }"),
            ("b.rs", "struct A; impl A { fn f() {} } impl crate::a::A { fn h() {} }"),
        ]);

        assert_eq!(found.methods(), [(3, "a::A".to_owned()), (1, "b::A".to_owned())]);
    }
}
