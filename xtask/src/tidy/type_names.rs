//! A public type name exists once in the product: a name with two meanings makes a reader open two files.

use super::Violation;
use crate::house::type_names;
use crate::sources::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let duplicates = type_names::duplicates(tree).into_iter();
    let later = duplicates.flat_map(|(name, places)| {
        let first = places[0].0.clone();
        let why = format!("the public type `{name}` also exists in {first}; rename one after its meaning");
        places.into_iter().skip(1).map(move |(path, line)| Violation::new(&path, line, why.clone()))
    });
    later.collect()
}
