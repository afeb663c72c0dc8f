//! Tests that the public data has the expected content.

use super::*;
use crate::project;

#[test]
fn banking77_has_its_published_rows_and_intents() {
    let set = Dataset::read(SetName::Bank, &project::default_data()).unwrap();

    assert_eq!((set.tools.len(), set.train, set.texts.len()), (77, 10_003, 10_003 + 3_080));
    assert_eq!(set.texts[0], "I am still waiting on my card?");
    assert_eq!(set.tools[set.labels[0]], "card_arrival");
    assert!((0..77).all(|tool| set.labels[..set.train].iter().filter(|label| **label == tool).count() > 10));
}

#[test]
fn clinc150_has_its_published_rows_and_intents() {
    let set = Dataset::read(SetName::Clinc, &project::default_data()).unwrap();

    assert_eq!((set.tools.len(), set.train, set.texts.len()), (150, 18_000, 22_500));
    assert!(set.tools.is_sorted() && !set.tools.contains(&"oos".to_owned()));
    assert!(
        (0..150).all(|tool| set.labels[set.train..].iter().filter(|label| **label == tool).count() == 30)
    );
}

#[test]
fn a_file_that_is_missing_is_named_with_its_source() {
    let error = Dataset::read(SetName::Bank, Path::new("/nowhere")).unwrap_err().to_string();

    assert!(error.contains("/nowhere/banking77/categories.json") && error.contains("PolyAI-LDN"), "{error}");
}
