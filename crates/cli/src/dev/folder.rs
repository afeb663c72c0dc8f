//! The folder of a development server: what lies where, who may enter, and that it has one user at a time. What is
//! written into it is decided elsewhere.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The system allows 107 bytes for the path of a socket; the file's own name takes 14 of them.
const LONGEST_SOCKET_FOLDER: usize = 90;

/// The folder of a development server.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

/// Held for as long as the folder is used. The system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Folder {
    /// The folder at a path; made if it is not there. Others may look into none, and pass through one of root's alone,
    /// because its Postgres is somebody else.
    pub(crate) fn open(path: PathBuf, passable: bool) -> anyhow::Result<Self> {
        let mode = if passable { 0o711 } else { 0o700 };
        create_with_parents(&path, mode)
            .and_then(|()| fs::set_permissions(&path, Permissions::from_mode(mode)))
            .with_context(|| format!("cannot use the folder {}; --folder takes another", path.display()))?;
        Ok(Self { path })
    }

    /// The folder at a path, whether it is there or not.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Whether its Postgres takes connections, as far as can be seen from outside.
    pub(crate) fn runs(&self) -> bool {
        self.socket().join(".s.PGSQL.5432").exists()
    }

    /// A folder of its own among the system's temporary ones.
    pub(super) fn temporary() -> anyhow::Result<Self> {
        let name = format!("reflect-dev-{}", reflect_types::TraceId::generate());
        Self::open(std::env::temp_dir().join(name), rustix::process::geteuid().is_root())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The files of Postgres.
    pub(super) fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    /// What Postgres says.
    pub(super) fn log(&self) -> PathBuf {
        self.path.join("postgres.log")
    }

    /// Where to reach the server, and with which key.
    pub(crate) fn connection(&self) -> PathBuf {
        self.path.join("connection.json")
    }

    /// The same for the project with example runs.
    pub(crate) fn demo_connection(&self) -> PathBuf {
        self.path.join("demo.json")
    }

    /// Copies of programs that could not be run where they are.
    pub(super) fn programs(&self) -> PathBuf {
        self.path.join("programs")
    }

    /// The folder of Postgres' socket: in here, or among the temporary folders where the path would be too long.
    pub(crate) fn socket(&self) -> PathBuf {
        let inside = self.path.join("socket");
        if inside.as_os_str().len() <= LONGEST_SOCKET_FOLDER {
            return inside;
        }
        let mut digest = DefaultHasher::new();
        self.path.hash(&mut digest);
        std::env::temp_dir().join(format!("reflect-socket-{:016x}", digest.finish()))
    }

    /// How the database of this folder is reached while its server runs.
    pub(crate) fn database_url(&self) -> String {
        let socket = percent_encoded(&self.socket());
        format!("postgres://{}@localhost/postgres?host={socket}", super::SUPERUSER)
    }

    /// What made the data that is there: the first number of Postgres' version.
    pub(super) fn made_by(&self) -> Option<u32> {
        fs::read_to_string(self.data().join("PG_VERSION")).ok()?.trim().parse().ok()
    }

    /// Takes the folder for this process, or says who has it.
    pub(super) fn lock(&self) -> anyhow::Result<Lock> {
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
                let address = super::connection::read(&self.connection())
                    .map(|known| format!(" at {}", known.base_url))
                    .unwrap_or_default();
                anyhow::bail!(
                    "`reflect dev` runs already on {} (process {holder}{address}); use that one, stop it, or take \
                     another folder by REFLECT_DEV_FOLDER or --ephemeral",
                    self.path.display()
                )
            }
            Err(TryLockError::Error(error)) => Err(error).context("cannot lock the folder"),
        }
    }

    /// Removes it with all that is in it.
    pub(super) fn remove(&self) -> anyhow::Result<()> {
        let socket = self.socket();
        if !socket.starts_with(&self.path) && socket.exists() {
            fs::remove_dir_all(&socket)?;
        }
        fs::remove_dir_all(&self.path).with_context(|| format!("cannot remove {}", self.path.display()))
    }
}

/// Makes what is missing of a path, whatever the umask says; what is there is left as it is.
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

/// Makes a folder that nobody else may enter. One that is there already must belong to whom it is meant for.
pub(super) fn private(path: &Path, owner: u32) -> anyhow::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let found = fs::symlink_metadata(path)?;
            let mine = rustix::process::geteuid().as_raw();
            anyhow::ensure!(
                found.is_dir() && (found.uid() == owner || found.uid() == mine),
                "{} belongs to somebody else",
                path.display()
            );
            Ok(fs::set_permissions(path, Permissions::from_mode(0o700))?)
        }
        Err(error) => Err(error).with_context(|| format!("cannot make {}", path.display())),
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
    fn a_folder_has_one_user_at_a_time() {
        let folder = Folder::temporary().unwrap();

        let held = folder.lock().unwrap();
        let refused = folder.lock().unwrap_err().to_string();
        drop(held);

        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        assert!(folder.lock().is_ok());
        folder.remove().unwrap();
    }

    #[test]
    fn a_socket_is_never_too_deep_to_be_opened() {
        let short = Folder { path: PathBuf::from("/data/ana b/dev") };
        let long = Folder { path: PathBuf::from(format!("/{}", "long/".repeat(30))) };

        assert_eq!(short.socket(), PathBuf::from("/data/ana b/dev/socket"));
        assert!(short.database_url().ends_with("host=/data/ana%20b/dev/socket"), "{}", short.database_url());
        assert!(long.socket().as_os_str().len() <= LONGEST_SOCKET_FOLDER, "{:?}", long.socket());
    }
}
