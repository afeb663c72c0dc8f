//! Defences that a debug build can switch off. `just attack` switches off one at a time and must then report the attack
//! that it stops. Release builds cannot switch them off.

#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(debug_assertions)]
static SWITCHED_OFF: AtomicU64 = AtomicU64::new(0);

/// A defence against one kind of attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defence {
    /// Metric labels come from closed sets.
    MetricLabels,
    /// A request without a key gets a small body limit and a short time to send it.
    UnauthenticatedBody,
    /// Editing, pinning, releasing, deleting, merging and undoing check the caller's trust.
    CallerTrust,
    /// JSON is limited by the cost of its values as well as by its bytes.
    JsonCost,
    /// Lint and serving use the same text, without hidden characters and control tokens.
    HiddenText,
    /// Changing the value of memories needs a receipt of the same key or `review:write`.
    InfluenceReceipt,
    /// One key can hold only a part of the waiting requests.
    WaitsPerKey,
    /// One key can send only so many requests at the same time and per second.
    RequestsPerKey,
    /// A created key does not outlive or exceed the key that created it.
    ChildKeys,
    /// The keys of a disabled member stop working.
    MemberKeys,
    /// A role applies only to the projects it was given for.
    ProjectRoles,
    /// A key works only from its address ranges.
    KeyAddresses,
    /// Exported files are readable by their owner only.
    ExportMode,
    /// Connections in an unknown state are closed.
    ConnectionState,
    /// A wrong secret changes nothing about the key that it names.
    LastUsed,
    /// A client that reads slowly is disconnected.
    SlowReader,
    /// A path has one form only.
    OnePath,
    /// Denials of callers without a key are counted per minute, not stored one by one.
    DenialCounts,
    /// A provider's ID token is checked: signature, issuer, audience, nonce.
    IdToken,
    /// Only the allowed domains can sign in.
    SignInDomain,
    /// Requests from other sites cannot change anything.
    SameSite,
    /// A sign-in link works once.
    LinkOnce,
    /// The archive of a project cannot write outside its folder.
    PackPath,
    /// MCP rejects requests of foreign origins.
    McpOrigin,
    /// Votes with feedback tokens are limited by address and by token.
    FeedbackLimits,
}

impl Defence {
    /// Every defence with its name on the command line.
    pub const ALL: [(&'static str, Self); 25] = [
        ("metric-labels", Self::MetricLabels),
        ("unauthenticated-body", Self::UnauthenticatedBody),
        ("caller-trust", Self::CallerTrust),
        ("json-cost", Self::JsonCost),
        ("hidden-text", Self::HiddenText),
        ("influence-receipt", Self::InfluenceReceipt),
        ("waits-per-key", Self::WaitsPerKey),
        ("requests-per-key", Self::RequestsPerKey),
        ("child-keys", Self::ChildKeys),
        ("member-keys", Self::MemberKeys),
        ("project-roles", Self::ProjectRoles),
        ("key-addresses", Self::KeyAddresses),
        ("export-mode", Self::ExportMode),
        ("connection-state", Self::ConnectionState),
        ("last-used", Self::LastUsed),
        ("slow-reader", Self::SlowReader),
        ("one-path", Self::OnePath),
        ("denial-counts", Self::DenialCounts),
        ("id-token", Self::IdToken),
        ("sign-in-domain", Self::SignInDomain),
        ("same-site", Self::SameSite),
        ("link-once", Self::LinkOnce),
        ("pack-path", Self::PackPath),
        ("mcp-origin", Self::McpOrigin),
        ("feedback-limits", Self::FeedbackLimits),
    ];

    /// Whether the defence works. Always true in release builds.
    #[must_use]
    #[cfg(not(debug_assertions))]
    pub const fn is_on(self) -> bool {
        true
    }

    /// Whether the defence works.
    #[must_use]
    #[cfg(debug_assertions)]
    pub fn is_on(self) -> bool {
        SWITCHED_OFF.load(Ordering::Relaxed) & self.bit() == 0
    }

    /// Switches the defence off for the whole process.
    #[cfg(debug_assertions)]
    pub fn switch_off(self) {
        SWITCHED_OFF.fetch_or(self.bit(), Ordering::Relaxed);
    }

    #[cfg(debug_assertions)]
    const fn bit(self) -> u64 {
        1 << self as u64
    }

    /// The defence with this name on the command line.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, defence)| *defence)
    }
}
