//! Denied requests in the audit log. A flood of them must not fill the table, so repeated ones are counted in memory and
//! written once per minute.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reflect_store::{AuditActor, RequestOrigin, Store, StoreError};
use reflect_types::{Defence, ProjectId};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const FLUSH_EVERY: Duration = Duration::from_secs(60);
/// Addresses in one entry. Requests from further addresses are counted together.
const MOST_ADDRESSES: usize = 20;
/// Callers with their own entries in one minute. Denials of further callers count like those without a key.
const MOST_CALLERS: usize = 200;
const ACTION: &str = "access.denied";
const ANONYMOUS: &str = "anonymous";

/// Why a request was denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DenialKind {
    /// No key, or no session.
    NoCredential,
    /// The key does not exist, or its secret is wrong.
    UnknownKey,
    /// The key was revoked.
    RevokedKey,
    /// The key has expired.
    ExpiredKey,
    /// The session has ended.
    EndedSession,
    /// The sign-in or setup link is not valid.
    SignInLink,
    /// The bootstrap token is wrong.
    BootstrapToken,
    /// The request comes from a page of another site, or names another host.
    OtherSite,
    /// The project does not exist, or the caller may not use it.
    NoProject,
    /// The key does not work from the client's address.
    WrongAddress,
    /// The key or the role lacks the scope.
    MissingScope,
    /// Another rule.
    Forbidden,
}

impl DenialKind {
    /// The name in the audit log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoCredential => "no_credential",
            Self::UnknownKey => "unknown_key",
            Self::RevokedKey => "revoked_key",
            Self::ExpiredKey => "expired_key",
            Self::EndedSession => "ended_session",
            Self::SignInLink => "sign_in_link",
            Self::BootstrapToken => "bootstrap_token",
            Self::OtherSite => "other_site",
            Self::NoProject => "no_project",
            Self::WrongAddress => "wrong_address",
            Self::MissingScope => "missing_scope",
            Self::Forbidden => "forbidden",
        }
    }
}

/// A caller that is known by name, and why it was denied.
type KnownDenial = (ProjectId, String, DenialKind);

/// The counts since the last flush.
#[derive(Debug, Default)]
struct Counts {
    kinds: BTreeMap<DenialKind, u64>,
    addresses: HashMap<IpAddr, u64>,
    other_addresses: u64,
    /// Repeated denials of known callers, with the last target. The first one was written at once.
    callers: HashMap<KnownDenial, (u64, AuditActor, String)>,
}

impl Counts {
    fn add_anonymous(&mut self, kind: DenialKind, address: Option<IpAddr>) {
        *self.kinds.entry(kind).or_default() += 1;
        let Some(address) = address else { return };
        let is_full = self.addresses.len() >= MOST_ADDRESSES;
        match self.addresses.get_mut(&address) {
            Some(count) => *count += 1,
            None if is_full => self.other_addresses += 1,
            None => {
                self.addresses.insert(address, 1);
            }
        }
    }

    /// Returns whether this is the first denial of the caller since the last flush, which is written at once.
    fn add_known(&mut self, project: ProjectId, actor: &AuditActor, kind: DenialKind, target: &str) -> bool {
        let known = (project, actor.name.clone(), kind);
        if let Some((count, last_actor, last_target)) = self.callers.get_mut(&known) {
            *count += 1;
            *last_actor = actor.clone();
            target.clone_into(last_target);
            return false;
        }
        if self.callers.len() >= MOST_CALLERS {
            self.add_anonymous(kind, actor.origin.address);
            return false;
        }
        self.callers.insert(known, (0, actor.clone(), target.to_owned()));
        true
    }

    /// The entry for requests without a known caller.
    fn summary(&self) -> Option<(String, Value)> {
        let requests: u64 = self.kinds.values().sum();
        let kinds: BTreeMap<&str, u64> =
            self.kinds.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
        let addresses: BTreeMap<String, u64> =
            self.addresses.iter().map(|(address, count)| (address.to_string(), *count)).collect();
        let detail = json!({ "requests": requests, "kinds": kinds, "addresses": addresses,
                             "requests_from_other_addresses": self.other_addresses });
        (requests > 0).then(|| (format!("{requests} requests"), detail))
    }
}

/// Records denied requests.
#[derive(Debug, Clone)]
pub struct DenialLog {
    store: Store,
    counts: Arc<Mutex<Counts>>,
}

impl DenialLog {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, counts: Arc::default() }
    }

    /// Writes the counts once per minute, and when `stop` is cancelled.
    pub async fn run(&self, stop: CancellationToken) {
        loop {
            let stopped = tokio::select! {
                () = stop.cancelled() => true,
                () = tokio::time::sleep(FLUSH_EVERY) => false,
            };
            if let Err(error) = self.flush().await {
                tracing::warn!(%error, "denied requests could not be written to the audit log: {error}");
            }
            if stopped {
                return;
            }
        }
    }

    /// Counts a request without a known caller. Nothing is written before the next flush.
    pub async fn record_anonymous(&self, kind: DenialKind, origin: &RequestOrigin) {
        if Defence::DenialCounts.is_on() {
            self.counts().add_anonymous(kind, origin.address);
            return;
        }
        let actor = AuditActor { name: ANONYMOUS.to_owned(), origin: origin.clone() };
        self.write(ProjectId::INSTALLATION, &actor, "1 request", &json!({ "kind": kind.as_str() })).await;
    }

    /// Records a denial of a known caller: the first one at once, repeated ones of the same kind once per minute. `target`
    /// is the method and the route.
    pub async fn record(&self, project: ProjectId, actor: &AuditActor, kind: DenialKind, target: &str) {
        if self.counts().add_known(project, actor, kind, target) {
            self.write(project, actor, target, &json!({ "kind": kind.as_str(), "requests": 1 })).await;
        }
    }

    /// Writes the counts and starts again.
    pub async fn flush(&self) -> Result<(), StoreError> {
        let counts = std::mem::take(&mut *self.counts());
        if let Some((target, detail)) = counts.summary() {
            let actor = AuditActor::local(ANONYMOUS);
            let admin = self.store.installation();
            admin.admin().record_audit(&actor, ACTION, &target, Some(&detail)).await?;
        }
        for ((project, _, kind), (repeated, actor, target)) in counts.callers {
            if repeated > 0 {
                let detail = json!({ "kind": kind.as_str(), "requests": repeated });
                self.store
                    .project(project)
                    .admin()
                    .record_audit(&actor, ACTION, &target, Some(&detail))
                    .await?;
            }
        }
        Ok(())
    }

    async fn write(&self, project: ProjectId, actor: &AuditActor, target: &str, detail: &Value) {
        let project = self.store.project(project);
        if let Err(error) = project.admin().record_audit(actor, ACTION, target, Some(detail)).await {
            tracing::warn!(%error, "a denied request could not be written to the audit log: {error}");
        }
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: u32) -> IpAddr {
        std::net::Ipv4Addr::from(number).into()
    }

    #[test]
    fn a_flood_from_many_addresses_is_one_bounded_entry() {
        let mut counts = Counts::default();
        for number in 0..10_000 {
            counts.add_anonymous(DenialKind::UnknownKey, Some(address(number)));
        }
        counts.add_anonymous(DenialKind::NoCredential, None);
        let (target, detail) = counts.summary().unwrap();
        assert_eq!(target, "10001 requests");
        assert_eq!(detail["kinds"], json!({ "unknown_key": 10_000, "no_credential": 1 }));
        assert_eq!(detail["addresses"].as_object().unwrap().len(), MOST_ADDRESSES);
        assert_eq!(detail["requests_from_other_addresses"], 10_000 - MOST_ADDRESSES);
        assert_eq!(Counts::default().summary(), None);
    }

    #[test]
    fn a_known_caller_is_written_once_and_then_counted() {
        let mut counts = Counts::default();
        let actor = AuditActor::local("key:a");
        let mut add = |kind| counts.add_known(ProjectId::new(1), &actor, kind, "GET /x");
        assert!(add(DenialKind::MissingScope));
        assert!(!add(DenialKind::MissingScope));
        assert!(add(DenialKind::NoProject));
        assert_eq!(counts.callers[&(ProjectId::new(1), "key:a".to_owned(), DenialKind::MissingScope)].0, 1);
    }

    #[test]
    fn many_known_callers_share_the_counts() {
        let mut counts = Counts::default();
        for number in 0..1000 {
            let actor = AuditActor::local(format!("key:{number}"));
            counts.add_known(ProjectId::new(1), &actor, DenialKind::MissingScope, "GET /x");
        }
        assert_eq!(counts.callers.len(), MOST_CALLERS);
        assert_eq!(counts.kinds[&DenialKind::MissingScope], 1000 - MOST_CALLERS as u64);
    }
}
