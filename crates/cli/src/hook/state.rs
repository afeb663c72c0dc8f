//! The state folder: what hooks keep between a prompt and its end. Only its user can read it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::CodingAgent;
use super::session::SessionFolder;
use super::whole_files::write_new;
use crate::private_file;
use crate::spool::Destination;

const SESSIONS: &str = "sessions";
const OUTCOMES: &str = "outcomes";
const MASK_KEY: &str = "mask-key";
/// The state of a session without events for this time is removed.
const KEPT: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// The state folder.
#[derive(Debug, Clone)]
pub(super) struct State {
    root: PathBuf,
}

impl State {
    /// Opens the folder, which is created.
    pub(super) fn open(root: PathBuf) -> anyhow::Result<Self> {
        private_file::create_folders(&root).with_context(|| format!("cannot create {}", root.display()))?;
        Ok(Self { root })
    }

    /// The state of a session for one destination: hooks of several levels can record a session for several projects. Its
    /// folder is named by a digest, because the name of a session comes from outside.
    pub(super) fn session(
        &self,
        agent: CodingAgent,
        destination: &Destination,
        id: &str,
    ) -> anyhow::Result<SessionFolder> {
        let whole = format!("{}\0{}\0{id}", agent.name(), destination.folder());
        let name =
            Sha256::digest(whole).iter().take(16).map(|byte| format!("{byte:02x}")).collect::<String>();
        self.session_named(&name)
    }

    /// The state of a session by the name of its folder.
    pub(super) fn session_named(&self, name: &str) -> anyhow::Result<SessionFolder> {
        anyhow::ensure!(
            name.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{name:?} is not the name of a session"
        );
        SessionFolder::open(self.root.join(SESSIONS).join(name))
    }

    /// The sessions with an event that was not handled.
    pub(super) fn stopped_sessions(&self) -> Vec<SessionFolder> {
        let folders = folders_in(&self.root.join(SESSIONS)).into_iter().map(SessionFolder::at);
        folders.filter(|session| session.stopped().is_some()).collect()
    }

    /// The folder of test outcomes that wait for this destination.
    pub(super) fn outcomes(&self, destination: &str) -> anyhow::Result<PathBuf> {
        let folder = self.root.join(OUTCOMES).join(destination);
        private_file::create_folders(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(folder)
    }

    /// The key of placeholders, made at the first use.
    pub(super) fn mask_key(&self) -> anyhow::Result<[u8; 32]> {
        let path = self.root.join(MASK_KEY);
        if !path.exists() {
            // Each has 74 random bits.
            let random: Vec<u8> = (0..4).flat_map(|_| Uuid::now_v7().into_bytes()).collect();
            let key: [u8; 32] = Sha256::digest(&random).into();
            write_new(&path, &key)?;
        }
        let key = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        key.try_into().ok().with_context(|| format!("{} is damaged; remove it", path.display()))
    }

    /// Removes the state of sessions without recent events.
    pub(super) fn clean(&self, now: SystemTime) {
        for folder in folders_in(&self.root.join(SESSIONS)) {
            let changed = fs::metadata(&folder).and_then(|found| found.modified());
            if changed.is_ok_and(|changed| now.duration_since(changed).is_ok_and(|age| age > KEPT)) {
                // Another process may remove it too.
                let _ = fs::remove_dir_all(&folder);
            }
        }
    }
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.is_symlink()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn state() -> State {
        State::open(std::env::temp_dir().join(format!("reflect-hooks-{}", Uuid::now_v7()))).unwrap()
    }

    #[test]
    fn only_the_user_can_read_the_state_and_the_key_stays() {
        let state = state();
        let key = state.mask_key().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;

        assert_eq!(state.mask_key().unwrap(), key);
        assert_ne!(key, [0; 32]);
        assert_eq!([mode(&state.root), mode(&state.root.join(MASK_KEY))], [0o700, 0o600]);
        fs::remove_dir_all(&state.root).unwrap();
    }

    #[test]
    fn a_session_has_a_state_of_its_own_for_each_agent_and_each_destination() {
        let state = state();
        let of = |agent, project| state.session(agent, &Destination::new("http://a", project), "s").unwrap();

        let own = of(CodingAgent::Codex, "p").name();
        assert_eq!(of(CodingAgent::Codex, "p").name(), own);
        assert_ne!(of(CodingAgent::Codex, "q").name(), own);
        assert_ne!(of(CodingAgent::ClaudeCode, "p").name(), own);
        fs::remove_dir_all(&state.root).unwrap();
    }

    #[test]
    fn names_of_sessions_lead_nowhere_else_and_old_state_is_removed() {
        let state = state();
        let destination = Destination::new("http://a", "p");
        for id in ["../../etc", "/etc", "", "a\0b"] {
            let folder = state.session(CodingAgent::Codex, &destination, id).unwrap();
            assert!(folder.path().starts_with(state.root.join(SESSIONS)), "{id:?}");
        }
        assert!(state.session_named("../x").is_err());

        state.clean(SystemTime::now());
        assert_eq!(folders_in(&state.root.join(SESSIONS)).len(), 4);
        state.clean(SystemTime::now() + KEPT + Duration::from_secs(60));
        assert_eq!(folders_in(&state.root.join(SESSIONS)).len(), 0);
        fs::remove_dir_all(&state.root).unwrap();
    }
}
