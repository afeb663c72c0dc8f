//! How an operator's command finds the server's database: the setting, else the database of `reflect dev` on this
//! machine.

use clap::Args;
use reflect_store::Store;
use secrecy::SecretString;

use crate::config::encryption::EncryptionConfig;
use crate::config::secret::secret;
use crate::connection::DevFolder;
use crate::failure::{Failure, Kind};
use crate::local_server::connection;
use crate::local_server::folder::Folder;
use crate::operator::open_store;

/// The database of the server.
#[derive(Debug, Clone, Args)]
pub(crate) struct ServerDatabase {
    /// The database of the server. Default: the database of a running `reflect dev` on this machine.
    #[arg(long, help_heading = "Database", env = "REFLECT_DATABASE_URL", value_name = "URL", hide_env_values = true, value_parser = secret)]
    database_url: Option<SecretString>,
    /// The same database without a connection pooler, if the database URL uses one.
    #[arg(long, help_heading = "Database", env = "REFLECT_DIRECT_DATABASE_URL", value_name = "URL", hide_env_values = true, value_parser = secret)]
    direct_database_url: Option<SecretString>,
    #[command(flatten)]
    folder: DevFolder,
    #[command(flatten)]
    encryption: EncryptionConfig,
}

impl ServerDatabase {
    pub(crate) async fn open(&self) -> anyhow::Result<Store> {
        open_store(self.url()?, &self.encryption).await
    }

    fn url(&self) -> Result<SecretString, Failure> {
        if let Some(url) = self.direct_database_url.as_ref().or(self.database_url.as_ref()) {
            return Ok(url.clone());
        }
        let folder = self.local();
        let running =
            folder.as_ref().filter(|folder| folder.runs()).map(|folder| folder.database_url().into());
        running.ok_or_else(|| {
            let looked = folder.map(|folder| format!(" in {}", folder.path().display())).unwrap_or_default();
            let message = format!("no database is configured, and no `reflect dev` is running{looked}");
            Failure::new(Kind::Configuration, "no_database", message)
                .fix("set REFLECT_DATABASE_URL to the value that the server uses, or start `reflect dev`")
        })
    }

    /// The address of the `reflect dev` server, if its database is used.
    pub(crate) fn local_address(&self) -> Option<String> {
        let folder =
            self.local().filter(|_| self.database_url.is_none() && self.direct_database_url.is_none())?;
        connection::read(&folder.connection()).map(|known| known.base_url)
    }

    fn local(&self) -> Option<Folder> {
        self.folder.path().map(Folder::at)
    }
}
