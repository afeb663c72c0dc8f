//! The audit log: counts denied requests, chains and signs entries, and verifies chains.

mod denials;
mod head_text;
mod key;
mod service;
mod verification;

pub use denials::{DenialKind, DenialLog};
pub use head_text::{MalformedHead, find_heads, head_text};
pub use key::{AuditKey, AuditKeyError, AuditPublicKey};
pub use service::{AuditLog, VerificationSettings};
pub use verification::{ChainProblem, ChainReport, SignedThrough};
