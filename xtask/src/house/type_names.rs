//! Public type names that product crates define more than once.
//!
//! A name with two meanings makes a reader open two files. Shared by `house` and `tidy`.

use std::collections::BTreeMap;

use super::syntax::Facts;
use crate::sources::{Member, Tree};

/// Where a type is defined: file and line.
pub(crate) type Place = (String, usize);

/// Names that every crate may define, with the reason.
const ALLOWED: [(&str, &str); 2] = [
    ("Error", "each crate has one error type, named with its crate: `reflect_store::Error`"),
    ("Result", "the alias that belongs to the crate's `Error`"),
];

/// Each name that is defined at least twice, with all its places.
pub(crate) fn duplicates(tree: &Tree) -> BTreeMap<String, Vec<Place>> {
    let mut places: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for (member, file) in tree.rust_sources() {
        if !matches!(member, Member::Product(_)) || file.is_test() {
            continue;
        }
        for one in Facts::read(&file.text).types.into_iter().filter(|one| one.public) {
            places.entry(one.name).or_default().push((file.path.clone(), one.line));
        }
    }
    places.retain(|name, places| places.len() > 1 && !ALLOWED.iter().any(|(allowed, _)| allowed == name));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_name_with_two_definitions_is_found() {
        let tree = Tree::of(&[
            ("crates/store/src/a.rs", "pub struct Found; pub(crate) struct Own; pub enum Error {}"),
            ("crates/engine/src/b.rs", "\npub type Found = u8; pub struct Own; pub enum Error {}"),
            ("crates/engine/src/b/tests.rs", "pub struct Own;"),
            ("bench/query/src/main.rs", "pub struct Own;"),
        ]);

        let places = vec![("crates/store/src/a.rs".to_owned(), 1), ("crates/engine/src/b.rs".to_owned(), 2)];
        assert_eq!(duplicates(&tree), BTreeMap::from([("Found".to_owned(), places)]));
    }
}
