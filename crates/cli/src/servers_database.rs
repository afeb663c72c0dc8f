//! How an operator's command finds the database of a server: the setting, else that of `reflect dev` on this machine.

use clap::Args;
use secrecy::SecretString;

use crate::config;
use crate::connection::DevFolder;
use crate::dev::connection;
use crate::dev::folder::Folder;
use crate::failure::{Failure, Kind};

/// The database of a server.
#[derive(Debug, Clone, Args)]
pub(crate) struct ServersDatabase {
    /// The database of the server. Without it, that of `reflect dev` on this machine, while that runs.
    #[arg(long, help_heading = "Database", env = "REFLECT_DATABASE_URL", value_name = "URL", hide_env_values = true, value_parser = config::secret)]
    database_url: Option<SecretString>,
    #[command(flatten)]
    folder: DevFolder,
}

impl ServersDatabase {
    /// How it is reached.
    pub(crate) fn url(&self) -> Result<SecretString, Failure> {
        if let Some(url) = &self.database_url {
            return Ok(url.clone());
        }
        let folder = self.local();
        let running =
            folder.as_ref().filter(|folder| folder.runs()).map(|folder| folder.database_url().into());
        running.ok_or_else(|| {
            let looked = folder.map(|folder| format!(" in {}", folder.path().display())).unwrap_or_default();
            let message = format!("no database is named, and no `reflect dev` runs{looked}");
            Failure::new(Kind::Configuration, "no_database", message)
                .fix("set REFLECT_DATABASE_URL as the server has it, or start `reflect dev`")
        })
    }

    /// Where the server of `reflect dev` listens, if it is the one that is meant.
    pub(crate) fn local_address(&self) -> Option<String> {
        let folder = self.local().filter(|_| self.database_url.is_none())?;
        connection::read(&folder.connection()).map(|known| known.base_url)
    }

    fn local(&self) -> Option<Folder> {
        self.folder.path().map(Folder::at)
    }
}
