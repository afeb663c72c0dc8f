//! The destination of a spool folder. The folder is named by a digest of the address and the project, so the names of known
//! destinations are computed and compared.

use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::folder::folder_name;
use crate::connection::Connection;
use crate::private_file;

/// A file that names the destination. The Python SDK and `redirect` write it beside the runs; no client reads it.
const FILE: &str = "destination.json";

/// A project of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Destination {
    pub(super) base_url: String,
    pub(super) project_id: String,
}

impl Destination {
    pub(crate) fn new(base_url: &str, project_id: &str) -> Self {
        Self { base_url: base_url.trim_end_matches('/').to_owned(), project_id: project_id.to_owned() }
    }

    /// The destination of a connection.
    pub(crate) fn of(connection: &Connection) -> anyhow::Result<Self> {
        let found = connection.find()?;
        Ok(Self::new(&found.base_url, &found.project))
    }

    /// The name of its folder.
    pub(crate) fn folder(&self) -> String {
        folder_name(&self.base_url, &self.project_id)
    }

    /// The destination of a folder, if it is known.
    pub(super) fn of_folder(folder: &Path, known: &[Self]) -> Option<Self> {
        let name = folder.file_name()?.to_string_lossy();
        let file = std::fs::read(folder.join(FILE)).ok();
        let written = file.and_then(|text| serde_json::from_slice::<Self>(&text).ok());
        // The file is only a hint; the name decides.
        let mut candidates = written.iter().chain(known);
        candidates.find(|destination| destination.folder() == name).cloned()
    }

    /// Writes the file that names the destination, if there is none. An address with a password is not written.
    pub(super) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        let path = folder.join(FILE);
        if self.base_url.contains('@') || path.exists() {
            return Ok(());
        }
        let hidden = folder.join(format!(".{FILE}.{}.new", Uuid::now_v7().simple()));
        private_file::create(&hidden)?.write_all(&serde_json::to_vec(self)?)?;
        Ok(std::fs::rename(&hidden, &path)?)
    }
}

impl std::fmt::Display for Destination {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "project {} at {}", self.project_id, self.base_url)
    }
}

/// The destinations that this user may have used: all combinations of known addresses and projects.
pub(super) fn known_destinations(connection: &Connection) -> anyhow::Result<Vec<Destination>> {
    let known = connection.known()?;
    let of_address = |url: &String| {
        let projects = known.projects.iter();
        projects.map(|project| Destination::new(url, project)).collect::<Vec<_>>()
    };
    Ok(known.base_urls.iter().flat_map(of_address).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_recognised_by_its_name() {
        let own = Destination::new("http://localhost:8000/", "default");
        let other = Destination::new("http://localhost:8000", "other");
        let known = [other, own.clone()];

        let found = Destination::of_folder(Path::new("/spool/edeef96cd4b730739caa6e24b05279c0"), &known);

        assert_eq!(found, Some(own));
        assert_eq!(Destination::of_folder(Path::new("/spool/abc"), &known), None);
    }

    #[test]
    fn a_file_names_a_destination_that_is_not_known_and_cannot_name_a_wrong_one() {
        let destination = Destination::new("https://reflect.example", "support");
        let root = std::env::temp_dir().join(format!("reflect-destination-{}", uuid::Uuid::now_v7()));
        let [right, wrong] = [destination.folder(), "0".repeat(32)].map(|name| root.join(name));
        for folder in [&right, &wrong] {
            std::fs::create_dir_all(folder).unwrap();
            destination.write(folder).unwrap();
        }

        let found = [&right, &wrong].map(|folder| Destination::of_folder(folder, &[]));
        std::fs::remove_dir_all(&root).unwrap();

        assert_eq!(found, [Some(destination), None]);
    }

    #[test]
    fn an_address_with_a_password_is_not_written() {
        let folder = std::env::temp_dir().join(format!("reflect-destination-{}", Uuid::now_v7()));
        std::fs::create_dir_all(&folder).unwrap();

        Destination::new("https://ana:secret@reflect.example", "support").write(&folder).unwrap();

        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
