//! Ids on the command line: what is none is said in words that help.

use std::str::FromStr;

/// An id, or how one looks.
pub(crate) fn id<T: FromStr>(text: &str) -> Result<T, String> {
    let none = "this is no id; ids look like 01a1dd7e-3ee9-72ee-8967-c21adbd96373, and `list` shows them";
    text.trim().parse().map_err(|_| none.to_owned())
}

#[cfg(test)]
mod tests {
    use reflect_types::TraceId;

    use super::id;

    #[test]
    fn what_is_no_id_is_told_how_one_looks() {
        assert!(id::<TraceId>(" 01a1dd7e-3ee9-72ee-8967-c21adbd96373 ").is_ok());
        assert!(id::<TraceId>("abc").unwrap_err().contains("01a1dd7e-"));
    }
}
