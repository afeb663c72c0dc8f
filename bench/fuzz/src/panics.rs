//! Catches panics of a check without printing each of them: making an input smaller causes hundreds.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs the function. A panic is an error with its message and place.
pub(crate) fn caught(function: impl FnOnce()) -> Result<(), String> {
    install();
    let before = QUIET.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(function));
    QUIET.set(before);
    outcome.map_err(|_| LAST.take())
}

fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if QUIET.get() {
                LAST.set(info.to_string());
            } else {
                usual(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_message_and_place() {
        let error = caught(|| panic!("the number is {}", 7)).unwrap_err();

        assert!(error.contains("the number is 7") && error.contains("panics.rs"), "{error}");
        assert_eq!(caught(|| ()), Ok(()));
    }
}
