//! How a command finds its server: flags, else variables, else the file that `reflect dev` wrote.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use reflect_sdk::{ReflectClient, ReflectClientBuilder};
use reflect_types::ProjectSlug;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::config::dev::FolderConfig;
use crate::environment;
use crate::failure::{Failure, Kind};
use crate::output::plain;

const DEFAULT_BASE_URL: &str = "http://localhost:8000";
/// The connection file in the folder of `reflect dev`.
const FILE: &str = "connection.json";

/// Set on every flag: a heading for the whole struct would also apply to the flags of the command.
const HEADING: &str = "Connection";

/// The server, the key and the project.
#[derive(Debug, Clone, Args)]
pub(crate) struct Connection {
    /// The URL of the server. Default: the server of `reflect dev`, else http://localhost:8000.
    #[arg(long, help_heading = HEADING, env = "REFLECT_BASE_URL", value_name = "URL")]
    base_url: Option<String>,
    /// The old name of --base-url.
    #[arg(long, env = "REFLECT_API_URL", value_name = "URL", hide = true)]
    api_url: Option<String>,
    /// The API key. Prefer the variable: other users of this machine can see arguments.
    #[arg(long, help_heading = HEADING, env = "REFLECT_API_KEY", value_name = "KEY", hide_env_values = true)]
    api_key: Option<SecretString>,
    /// The project. Default: the project of `reflect dev`, else "default".
    #[arg(long, help_heading = HEADING, env = "REFLECT_PROJECT_ID", value_name = "PROJECT")]
    project: Option<String>,
    /// The timeout of a call including retries, in seconds.
    #[arg(long, help_heading = HEADING, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    #[command(flatten)]
    folder: DevFolder,
}

/// Addresses and projects that this user may have used.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownConnections {
    pub(crate) base_urls: BTreeSet<String>,
    pub(crate) projects: BTreeSet<String>,
}

/// The folder of `reflect dev`.
#[derive(Debug, Clone, Args)]
pub(crate) struct DevFolder {
    /// The folder of `reflect dev`, if it is not the default.
    #[arg(long, env = "REFLECT_DEV_FOLDER", value_name = "FOLDER", hide = true)]
    dev_folder: Option<String>,
}

/// The content of `connection.json`, which only its owner can read. It contains a key, so it has no `Debug`.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct DevConnection {
    /// The URL of the server.
    pub(crate) base_url: String,
    /// An API key of the project.
    pub(crate) api_key: String,
    /// The project.
    pub(crate) project_id: String,
}

/// The settings of a client, and where they come from.
#[derive(Debug, Clone)]
pub(crate) struct ResolvedConnection {
    /// The URL of the server.
    pub(crate) base_url: String,
    /// The API key, if there is one.
    pub(crate) api_key: Option<SecretString>,
    /// The project.
    pub(crate) project: String,
    /// The file that some of the settings come from.
    pub(crate) file: Option<PathBuf>,
}

impl DevConnection {
    /// With the current address: this file may be older.
    fn at(self, now: Self) -> Self {
        Self { base_url: now.base_url, ..self }
    }
}

impl DevFolder {
    /// The path, which may not exist.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        let said = self.dev_folder.as_ref().filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let config =
            FolderConfig::new(said, environment::variable("XDG_DATA_HOME"), environment::variable("HOME"));
        config.folder(rustix::process::geteuid().is_root()).ok()
    }
}

impl Connection {
    /// Resolves the connection from flags, variables and files.
    pub(crate) fn find(&self) -> anyhow::Result<ResolvedConnection> {
        let Some(folder) = self.folder.path() else { return Ok(self.resolve(None, None)) };
        let usual = folder.join(FILE);
        let dev = read(&usual)?;
        // A key belongs to one project. A project with its own file, such as `reflect demo`, uses that file.
        let own = self.project.as_deref().and_then(|project| project.trim().parse::<ProjectSlug>().ok());
        let own = own.map(|project| folder.join(format!("{project}.json"))).filter(|file| *file != usual);
        let of_project = own.as_deref().map(read).transpose()?.flatten();
        match (dev, of_project) {
            (Some(dev), Some(of_project)) => {
                Ok(self.without_key_of(&dev).resolve(Some(of_project.at(dev)), own))
            }
            (None, Some(of_project)) => Ok(self.resolve(Some(of_project), own)),
            (dev, None) => Ok(self.resolve(dev, Some(usual))),
        }
    }

    /// The addresses and projects of this connection, of the files of `reflect dev`, and the defaults.
    pub(crate) fn known(&self) -> anyhow::Result<KnownConnections> {
        let found = self.find()?;
        let mut known = KnownConnections {
            base_urls: [found.base_url, DEFAULT_BASE_URL.to_owned(), "http://127.0.0.1:8000".to_owned()]
                .into(),
            projects: [found.project, "default".to_owned(), "dev".to_owned()].into(),
        };
        let files = self.folder.path().and_then(|folder| std::fs::read_dir(folder).ok());
        for file in files.into_iter().flatten().filter_map(Result::ok) {
            // Other files of the folder are not connections.
            if let Ok(Some(connection)) = read(&file.path()) {
                known.base_urls.insert(connection.base_url);
                known.projects.insert(connection.project_id);
            }
        }
        Ok(known)
    }

    /// The same without the key of the default project. Users export that key because `reflect dev` prints it, but it has
    /// no access to another project.
    fn without_key_of(&self, usual: &DevConnection) -> Self {
        let mut other = self.clone();
        other.api_key = other.api_key.filter(|key| key.expose_secret().trim() != usual.api_key);
        other
    }

    /// Creates a client. Sends nothing.
    pub(crate) fn client(&self) -> anyhow::Result<ReflectClient> {
        Ok(self.client_builder()?.build()?)
    }

    /// The settings of a client.
    pub(crate) fn client_builder(&self) -> anyhow::Result<ReflectClientBuilder> {
        let found = self.find()?;
        let Some(key) = &found.api_key else {
            return Err(Failure::new(Kind::Configuration, "no_api_key", "no API key is set")
                .fix("set REFLECT_API_KEY; create a key with `reflect keys create`, or start a server with `reflect dev`")
                .into());
        };
        let builder = ReflectClient::builder()
            .base_url(found.base_url)
            .api_key(key.expose_secret())
            .project_id(found.project)
            .timeout(Duration::from_secs(self.timeout))
            .on_warning(show_warning);
        Ok(builder)
    }

    /// Fills in missing settings from the file, unless the file is for another server: a key must not be sent to a server
    /// that it was not created for.
    fn resolve(&self, dev: Option<DevConnection>, file: Option<PathBuf>) -> ResolvedConnection {
        let said = |text: &Option<String>| {
            text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let base_url = said(&self.base_url).or_else(|| said(&self.api_url));
        let same = |url: &str, dev: &DevConnection| {
            url.trim_end_matches('/').eq_ignore_ascii_case(dev.base_url.trim_end_matches('/'))
        };
        let dev = dev.filter(|dev| base_url.as_deref().is_none_or(|url| same(url, dev)));
        let key = self.api_key.clone().filter(|key| !key.expose_secret().trim().is_empty());
        let project = said(&self.project);
        let filled = dev.is_some() && (base_url.is_none() || key.is_none() || project.is_none());
        let dev = dev.as_ref();
        ResolvedConnection {
            base_url: base_url
                .or_else(|| dev.map(|dev| dev.base_url.clone()))
                .unwrap_or_else(|| DEFAULT_BASE_URL.to_owned()),
            api_key: key.or_else(|| dev.map(|dev| dev.api_key.clone().into())),
            project: project
                .or_else(|| dev.map(|dev| dev.project_id.clone()))
                .unwrap_or_else(|| "default".to_owned()),
            file: file.filter(|_| filled),
        }
    }
}

/// Shows a warning of the server. The screen of `reflect review` has no place for it.
fn show_warning(text: &str) {
    if !crossterm::terminal::is_raw_mode_enabled().unwrap_or_default() {
        eprintln!("warning: {}", plain(text));
    }
}

/// Reads the file; `None` if it does not exist.
fn read(file: &Path) -> anyhow::Result<Option<DevConnection>> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(_) => return Ok(None),
    };
    let read = serde_json::from_str(&text).map_err(|error| {
        let message = format!("{} cannot be read: {error}", file.display());
        Failure::new(Kind::Configuration, "bad_connection_file", message)
            .fix("remove the file; the next `reflect dev` writes a new one")
    });
    Ok(Some(read?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(base_url: Option<&str>, key: Option<&str>, project: Option<&str>) -> Connection {
        Connection {
            base_url: base_url.map(str::to_owned),
            api_url: None,
            api_key: key.map(|key| key.to_owned().into()),
            project: project.map(str::to_owned),
            timeout: 60,
            folder: DevFolder { dev_folder: None },
        }
    }

    fn dev() -> DevConnection {
        DevConnection {
            base_url: "http://127.0.0.1:8000".into(),
            api_key: "rf_test_dev".into(),
            project_id: "dev".into(),
        }
    }

    #[test]
    fn the_file_of_dev_fills_in_missing_settings() {
        let found = connection(None, None, Some("")).resolve(Some(dev()), Some("f".into()));

        assert_eq!((found.base_url.as_str(), found.project.as_str()), ("http://127.0.0.1:8000", "dev"));
        assert_eq!(found.api_key.unwrap().expose_secret(), "rf_test_dev");
        assert_eq!(found.file, Some("f".into()));
    }

    #[test]
    fn given_settings_win() {
        let found = connection(Some("http://127.0.0.1:8000/"), Some("mine"), Some("p"));
        let found = found.resolve(Some(dev()), Some("f".into()));

        assert_eq!((found.base_url.as_str(), found.project.as_str()), ("http://127.0.0.1:8000/", "p"));
        assert_eq!(found.api_key.unwrap().expose_secret(), "mine");
        assert_eq!(found.file, None);
    }

    #[test]
    fn a_project_with_its_own_file_does_not_use_the_default_key() {
        let folder = std::env::temp_dir().join(format!("reflect-connection-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let old =
            DevConnection { base_url: "http://127.0.0.1:7".into(), api_key: "rf_test_demo".into(), ..dev() };
        std::fs::write(folder.join(FILE), serde_json::to_string(&dev()).unwrap()).unwrap();
        std::fs::write(folder.join("demo.json"), serde_json::to_string(&old).unwrap()).unwrap();
        let asked = |key: &str, project: &str| {
            let mut asked = connection(Some("http://127.0.0.1:8000"), Some(key), Some(project));
            asked.folder.dev_folder = Some(folder.display().to_string());
            let found = asked.find().unwrap();
            (found.base_url, found.api_key.unwrap().expose_secret().to_owned())
        };

        let (address, key) = asked("rf_test_dev", "demo");
        let others = [asked("mine", "demo").1, asked("rf_test_dev", "dev").1];
        std::fs::remove_dir_all(&folder).unwrap();

        assert_eq!((address.as_str(), key.as_str()), ("http://127.0.0.1:8000", "rf_test_demo"));
        assert_eq!(others, ["mine", "rf_test_dev"]);
    }

    #[test]
    fn the_key_of_dev_is_not_sent_to_another_server() {
        let found = connection(Some("https://reflect.example"), None, None).resolve(Some(dev()), None);

        assert!(found.api_key.is_none());
        assert_eq!(found.project, "default");
    }
}
