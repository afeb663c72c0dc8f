//! What commands of an operator need: a connection to the database, a name for the audit log, and the default scopes of
//! a key.

use reflect_store::{AuditActor, Store, StoreSettings};
use reflect_types::Scope;
use secrecy::SecretString;

use crate::config::encryption::EncryptionConfig;

/// What an agent, its reviewer and its CI need. Excludes the management of webhooks, of keys and of the project.
pub(crate) const DEFAULT_SCOPES: &[Scope] = &[
    Scope::MemoryRead,
    Scope::MemoryWrite,
    Scope::TraceRead,
    Scope::TraceWrite,
    Scope::ReviewWrite,
    Scope::SignalWrite,
    Scope::SkillWrite,
];

/// Connects with few connections: a command does one thing at a time.
pub(crate) async fn open_store(url: SecretString, encryption: &EncryptionConfig) -> anyhow::Result<Store> {
    let encryption = encryption.keys()?;
    let settings = StoreSettings { encryption, ..StoreSettings::new(url, 2) };
    Ok(Store::connect(&settings).await?)
}

/// The actor in the audit log for work on the command line.
pub(crate) fn operator() -> AuditActor {
    AuditActor::local("operator")
}
