//! Several texts in one input. Readable, so that kept inputs can be written by hand.

/// Between two texts.
const LINE: &str = "\n---\n";

/// The texts of an input, `None` if it is not UTF-8 or has fewer than `N`. What follows the last separator is the last
/// text, with further separators.
///
/// ```
/// assert_eq!(reflect_fuzz::parts(b"a\n---\nb"), Some(["a", "b"]));
/// assert_eq!(reflect_fuzz::parts::<2>(b"a"), None);
/// ```
pub fn parts<const N: usize>(input: &[u8]) -> Option<[&str; N]> {
    let found: Vec<&str> = str::from_utf8(input).ok()?.splitn(N, LINE).collect();
    found.try_into().ok()
}

/// One input of several texts.
pub fn join(texts: &[String]) -> String {
    texts.join(LINE)
}
