//! What the measurements need from one Rust file: imports, paths, type definitions and inherent methods.
//!
//! `syn` parses the file. Items under `#[cfg(test)]` are left out: all measurements are about product code.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, ItemImpl, ItemMod, ItemUse, Macro, Type, UseTree, Visibility};

/// A `use` declaration, one per imported name.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) line: usize,
    pub(super) path: Vec<String>,
    /// The name in this module; `*` for a glob.
    pub(super) name: String,
}

/// A path in code, with at least two segments.
#[derive(Debug)]
pub(super) struct Mention {
    pub(super) line: usize,
    pub(super) path: Vec<String>,
}

/// A type, trait or alias defined in the file.
#[derive(Debug)]
pub(super) struct TypeDefinition {
    pub(super) line: usize,
    pub(super) name: String,
    /// Plain `pub`. The lint `unreachable_pub` keeps that word for items that other crates can name.
    pub(super) public: bool,
}

/// The facts of one file.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) imports: Vec<Import>,
    pub(super) mentions: Vec<Mention>,
    pub(super) types: Vec<TypeDefinition>,
    /// The path of the type of an inherent `impl`, once for each of its functions.
    pub(super) methods: Vec<Vec<String>>,
    /// Names of all items that the file defines, modules excluded.
    pub(super) items: BTreeSet<String>,
}

impl Facts {
    /// The facts of a source text; none if it is not valid Rust, which the compiler reports.
    pub(super) fn read(text: &str) -> Self {
        let mut reader = Reader::default();
        if let Ok(file) = syn::parse_file(text) {
            reader.visit_file(&file);
        }
        reader.facts
    }
}

#[derive(Default)]
struct Reader {
    facts: Facts,
    /// How many modules written in place are open: each takes one `super` away.
    depth: usize,
}

impl Reader {
    fn mention(&mut self, line: usize, mut path: Vec<String>) {
        for _ in 0..self.depth {
            if path.first().is_some_and(|first| first == "super") {
                path[0] = "self".to_owned();
                if path.get(1).is_some_and(|next| next == "super") {
                    path.remove(0);
                }
            }
        }
        if path.len() > 1 {
            self.facts.mentions.push(Mention { line, path });
        }
    }

    fn import(&mut self, line: usize, prefix: &[String], tree: &UseTree) {
        let with = |name: &dyn ToString| [prefix, &[name.to_string()]].concat();
        let (path, name) = match tree {
            UseTree::Path(inner) => return self.import(line, &with(&inner.ident), &inner.tree),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|inner| self.import(line, prefix, inner));
            }
            UseTree::Name(name) if name.ident == "self" => {
                (prefix.to_vec(), prefix.last().cloned().unwrap_or_default())
            }
            UseTree::Name(name) => (with(&name.ident), name.ident.to_string()),
            UseTree::Rename(renamed) => (with(&renamed.ident), renamed.rename.to_string()),
            UseTree::Glob(_) => (prefix.to_vec(), "*".to_owned()),
        };
        self.facts.imports.push(Import { line, path, name });
    }

    fn define(&mut self, item: &Item) {
        let (name, visibility) = match item {
            Item::Struct(item) => (&item.ident, &item.vis),
            Item::Enum(item) => (&item.ident, &item.vis),
            Item::Union(item) => (&item.ident, &item.vis),
            Item::Trait(item) => (&item.ident, &item.vis),
            Item::Type(item) => (&item.ident, &item.vis),
            Item::Fn(item) => return self.name(&item.sig.ident),
            Item::Const(item) => return self.name(&item.ident),
            Item::Static(item) => return self.name(&item.ident),
            Item::Macro(item) => return item.ident.iter().for_each(|name| self.name(name)),
            _ => return,
        };
        self.name(name);
        let public = matches!(visibility, Visibility::Public(_));
        let line = name.span().start().line;
        self.facts.types.push(TypeDefinition { line, name: name.to_string(), public });
    }

    fn name(&mut self, name: &syn::Ident) {
        self.facts.items.insert(name.to_string());
    }

    /// Paths inside the arguments of a macro, which `syn` does not parse.
    fn scan(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut line = 0;
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.mention(line, std::mem::take(&mut path));
                        line = name.span().start().line;
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => colons += 1,
                other => {
                    self.mention(line, std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.scan(group.stream());
                    }
                }
            }
        }
        self.mention(line, path);
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            self.define(item);
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes = match item {
            ImplItem::Fn(item) => item.attrs.as_slice(),
            ImplItem::Const(item) => item.attrs.as_slice(),
            _ => &[],
        };
        if !is_test(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.content.is_some() {
            self.depth += 1;
            visit::visit_item_mod(self, item);
            self.depth -= 1;
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.import(item.span().start().line, &[], &item.tree);
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if item.trait_.is_none()
            && let Type::Path(path) = &*item.self_ty
        {
            let functions = item.items.iter().filter(|item| match item {
                ImplItem::Fn(item) => !is_test(&item.attrs),
                _ => false,
            });
            let path = segments(&path.path);
            self.facts.methods.extend(functions.map(|_| path.clone()));
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.mention(path.span().start().line, segments(path));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        visit::visit_macro(self, call);
        self.scan(call.tokens.clone());
    }
}

fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// `#[cfg(test)]` and `#[cfg(any(test, …))]`.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        attribute.path().is_ident("cfg") && mentions_test(list.tokens.clone())
    })
}

fn mentions_test(tokens: TokenStream) -> bool {
    let mut negated = false;
    for token in tokens {
        match token {
            TokenTree::Ident(name) if name == "test" => return true,
            TokenTree::Ident(name) => negated = name == "not",
            TokenTree::Group(group) if !negated && mentions_test(group.stream()) => return true,
            _ => {}
        }
    }
    false
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_listed_one_by_one() {
        let facts = Facts::read("use crate::a::{self, B, c::D as E};\nuse super::f::*;\n");

        let found: Vec<_> =
            facts.imports.iter().map(|one| (one.path.join("::"), one.name.as_str())).collect();
        let expected = [("crate::a", "a"), ("crate::a::B", "B"), ("crate::a::c::D", "E"), ("super::f", "*")];
        assert_eq!(found, expected.map(|(path, name)| (path.to_owned(), name)));
    }

    #[test]
    fn paths_are_found_in_code_and_in_macros() {
        let facts = Facts::read("fn f() -> a::B { info!(\"x\", y = crate::c::d(), self.z); e::F::g() }");

        let found: Vec<_> = facts.mentions.iter().map(|one| one.path.join("::")).collect();
        assert_eq!(found, ["a::B", "crate::c::d", "e::F::g"]);
    }

    #[test]
    fn methods_are_counted_without_traits_and_tests() {
        let text = "pub struct A; impl A { fn a() {} pub fn b(&self) {} #[cfg(test)] fn c() {} }\n\
            impl Clone for A { fn clone(&self) -> A { A } }\n#[cfg(test)]\nmod tests { impl super::A { fn d() {} } }";

        let facts = Facts::read(text);

        assert_eq!(facts.methods, [["A"], ["A"]]);
        assert!(facts.types[0].public && facts.types.len() == 1);
    }
}
