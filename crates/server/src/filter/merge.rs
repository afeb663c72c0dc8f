//! Combines conditions from `q` with those from separate parameters.

use crate::error::ApiError;

/// The condition that one of the two gives. `field` is its name in `q`, `parameter` the name outside.
pub(super) fn either<T>(
    field: &str,
    parameter: &str,
    in_q: Option<T>,
    outside: Option<T>,
) -> Result<Option<T>, ApiError> {
    if in_q.is_some() && outside.is_some() {
        let message = format!("{field} is given in q and as {parameter}; use only one of them");
        return Err(ApiError::invalid_filter(message, None));
    }
    Ok(in_q.or(outside))
}
