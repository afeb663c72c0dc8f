//! What all clients of a run share: the addresses of the servers, and the known memories.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use uuid::Uuid;

/// A project and the key to it.
#[derive(Debug, Clone)]
pub struct Tenant {
    /// The project's name.
    pub slug: String,
    /// A key with all scopes.
    pub key: String,
}

/// Known data of a project. All of it was in responses, so all of it is committed.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Oldest first. Most runs name the first few, which makes them hot rows.
    pub(crate) memories: Vec<Uuid>,
    pub(crate) receipts: Vec<Uuid>,
}

/// The environment of clients.
#[derive(Debug)]
pub struct Surroundings {
    /// The addresses of the servers.
    pub(crate) servers: Vec<String>,
    pub(crate) tenants: Vec<Tenant>,
    /// In the order of tenants.
    pub(crate) seen: Vec<Mutex<Seen>>,
    /// The longest pause between two calls of a client.
    pub(crate) pause: Duration,
    /// Clients end after their present call.
    pub stop: AtomicBool,
}

impl Surroundings {
    /// What clients of these servers share at the start.
    pub fn new(servers: Vec<String>, tenants: Vec<Tenant>, pause: Duration) -> Self {
        let seen = tenants.iter().map(|_| Mutex::default()).collect();
        Self { servers, tenants, seen, pause, stop: AtomicBool::new(false) }
    }

    pub(crate) fn seen(&self, tenant: usize) -> MutexGuard<'_, Seen> {
        self.seen[tenant].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    pub(crate) fn note_memory(&mut self, memory: Uuid) {
        if !self.memories.contains(&memory) {
            self.memories.push(memory);
        }
    }
}
