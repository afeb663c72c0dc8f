//! Numbers that are always in range.

use serde::{Deserialize, Serialize};

/// A number that is not between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must lie between 0 and 1")]
pub struct OutOfRange;

/// How far one review moves a utility: 0 not at all, 1 all the way.
///
/// ```
/// use reflect_types::Alpha;
///
/// assert!(Alpha::try_from(0.1).is_ok());
/// assert!(Alpha::try_from(1.5).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(try_from = "f32", into = "f32")]
#[cfg_attr(feature = "openapi", schema(value_type = f32, minimum = 0, maximum = 1))]
pub struct Alpha(f32);

impl Alpha {
    /// 0.3: the documented default.
    pub const DEFAULT: Self = Self(0.3);

    /// The number.
    pub const fn get(self) -> f32 {
        self.0
    }
}

impl TryFrom<f32> for Alpha {
    type Error = OutOfRange;
    fn try_from(value: f32) -> Result<Self, OutOfRange> {
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(OutOfRange) }
    }
}

impl From<Alpha> for f32 {
    fn from(alpha: Alpha) -> f32 {
        alpha.0
    }
}

/// How well runs went that were shown a memory: 0 badly, 1 well. On the wire it is `q_value`.
///
/// ```
/// use reflect_types::{Alpha, Utility};
///
/// let after_a_pass = Utility::START.after(1.0, Alpha::DEFAULT.get());
/// assert_eq!(after_a_pass.get(), 0.65);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Utility(f32);

impl Utility {
    /// The utility of a new memory, whatever the result of its run.
    pub const START: Self = Self(0.5);

    /// A stored utility.
    pub const fn stored(value: f32) -> Self {
        Self(value.clamp(0.0, 1.0))
    }

    /// The utility after one more review: it moves by the share `alpha` towards the reward.
    pub fn after(self, reward: f32, alpha: f32) -> Self {
        Self((self.0 + alpha * (reward - self.0)).clamp(0.0, 1.0))
    }

    /// The number.
    pub const fn get(self) -> f32 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn not_a_number_is_out_of_range() {
        assert_eq!(Alpha::try_from(f32::NAN), Err(OutOfRange));
        assert_eq!(Alpha::try_from(-0.01), Err(OutOfRange));
        assert_eq!(Alpha::try_from(1.0).map(Alpha::get), Ok(1.0));
    }
}
