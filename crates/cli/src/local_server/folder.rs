//! The folder of a development server: paths, permissions and the lock for one process.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::connection;
use super::postgres_account::PostgresAccount;
use crate::config::dev::FolderConfig;

/// The only user of the database.
pub(crate) const SUPERUSER: &str = "reflect";
/// The system allows 107 bytes for the path of a socket; the file name takes 14 of them.
const MAX_SOCKET_FOLDER: usize = 90;

/// The folder of a development server.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

/// Held while the folder is in use. The system releases it when the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Folder {
    /// Opens or creates the folder. Other users have no access. With `passable` they can pass through it, which root needs
    /// because its Postgres runs as another user.
    pub(crate) fn open(path: PathBuf, passable: bool) -> anyhow::Result<Self> {
        let mode = if passable { 0o711 } else { 0o700 };
        create_with_parents(&path, mode)
            .and_then(|()| fs::set_permissions(&path, Permissions::from_mode(mode)))
            .with_context(|| {
                format!("cannot use the folder {}; choose another with --folder", path.display())
            })?;
        Ok(Self { path })
    }

    /// The folder at a path, which may not exist.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Whether its Postgres seems to accept connections.
    pub(crate) fn runs(&self) -> bool {
        self.socket().join(".s.PGSQL.5432").exists()
    }

    /// A new temporary folder.
    pub(crate) fn temporary() -> anyhow::Result<Self> {
        let name = format!("reflect-dev-{}", reflect_types::TraceId::generate());
        Self::open(std::env::temp_dir().join(name), rustix::process::geteuid().is_root())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The files of Postgres.
    pub(crate) fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    /// The log of Postgres.
    pub(crate) fn log(&self) -> PathBuf {
        self.path.join("postgres.log")
    }

    /// The connection file.
    pub(crate) fn connection(&self) -> PathBuf {
        self.path.join("connection.json")
    }

    /// The connection file of the example project.
    pub(crate) fn demo_connection(&self) -> PathBuf {
        self.path.join("demo.json")
    }

    /// Copies of the Postgres programs, if the originals cannot be run.
    pub(crate) fn programs(&self) -> PathBuf {
        self.path.join("programs")
    }

    /// The folder of the Postgres socket: in this folder, or in the temporary folder if the path would be too long.
    pub(crate) fn socket(&self) -> PathBuf {
        let inside = self.path.join("socket");
        if inside.as_os_str().len() <= MAX_SOCKET_FOLDER {
            return inside;
        }
        let mut digest = DefaultHasher::new();
        self.path.hash(&mut digest);
        std::env::temp_dir().join(format!("reflect-socket-{:016x}", digest.finish()))
    }

    /// The URL of the database while the server runs.
    pub(crate) fn database_url(&self) -> String {
        let socket = percent_encoded(&self.socket());
        format!("postgres://{}@localhost/postgres?host={socket}", SUPERUSER)
    }

    /// The major version of the Postgres that created the data.
    pub(crate) fn data_version(&self) -> Option<u32> {
        fs::read_to_string(self.data().join("PG_VERSION")).ok()?.trim().parse().ok()
    }

    /// Locks the folder for this process. The error names the process that has the lock.
    pub(crate) fn lock(&self) -> anyhow::Result<Lock> {
        let path = self.path.join("dev.lock");
        let mut file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path)?;
        match file.try_lock() {
            Ok(()) => {
                file.set_len(0)?;
                file.rewind()?;
                file.write_all(std::process::id().to_string().as_bytes())?;
                Ok(Lock { _file: file })
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.read_to_string(&mut holder)?;
                let address = connection::read(&self.connection())
                    .map(|known| format!(" at {}", known.base_url))
                    .unwrap_or_default();
                anyhow::bail!(
                    "`reflect dev` is already running on {} (process {holder}{address}); use it, stop it, or choose \
                     another folder with REFLECT_DEV_FOLDER or --ephemeral",
                    self.path.display()
                )
            }
            Err(TryLockError::Error(error)) => Err(error).context("cannot lock the folder"),
        }
    }

    /// Removes the folder and its content.
    pub(crate) fn remove(&self) -> anyhow::Result<()> {
        let socket = self.socket();
        if !socket.starts_with(&self.path) && socket.exists() {
            fs::remove_dir_all(&socket)?;
        }
        fs::remove_dir_all(&self.path).with_context(|| format!("cannot remove {}", self.path.display()))
    }
}

/// The configured folder. It must exist.
pub(crate) fn existing(config: &FolderConfig) -> anyhow::Result<Folder> {
    let is_root = PostgresAccount::detect()?.is_other();
    let path = config.folder(is_root)?;
    anyhow::ensure!(
        path.is_dir(),
        "there is no development server in {}; start one with `reflect dev`",
        path.display()
    );
    Folder::open(path, is_root)
}

/// Creates missing folders with this mode, regardless of the umask.
fn create_with_parents(path: &Path, mode: u32) -> std::io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    path.parent().map_or(Ok(()), |parent| create_with_parents(parent, mode))?;
    match fs::create_dir(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => fs::set_permissions(path, Permissions::from_mode(mode)),
    }
}

/// Creates a folder that only its owner can enter. An existing folder must belong to this owner or to this user.
pub(crate) fn private(path: &Path, owner: u32) -> anyhow::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let found = fs::symlink_metadata(path)?;
            let mine = rustix::process::geteuid().as_raw();
            anyhow::ensure!(
                found.is_dir() && (found.uid() == owner || found.uid() == mine),
                "{} belongs to another user",
                path.display()
            );
            Ok(fs::set_permissions(path, Permissions::from_mode(0o700))?)
        }
        Err(error) => Err(error).with_context(|| format!("cannot create {}", path.display())),
    }
}

fn percent_encoded(path: &Path) -> String {
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str());
    let mut text = String::new();
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-_.~/".contains(byte) {
            text.push(char::from(*byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_can_be_locked_once() {
        let folder = Folder::temporary().unwrap();

        let held = folder.lock().unwrap();
        let refused = folder.lock().unwrap_err().to_string();
        drop(held);

        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        assert!(folder.lock().is_ok());
        folder.remove().unwrap();
    }

    #[test]
    fn the_path_of_the_socket_is_never_too_long() {
        let short = Folder { path: PathBuf::from("/data/ana b/dev") };
        let long = Folder { path: PathBuf::from(format!("/{}", "long/".repeat(30))) };

        assert_eq!(short.socket(), PathBuf::from("/data/ana b/dev/socket"));
        assert!(short.database_url().ends_with("host=/data/ana%20b/dev/socket"), "{}", short.database_url());
        assert!(long.socket().as_os_str().len() <= MAX_SOCKET_FOLDER, "{:?}", long.socket());
    }
}
