//! How a command that speaks HTTP finds its server: flags, else variables, else what `reflect dev` wrote down.
//! What is sent then is the business of the client, `reflect-sdk`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use reflect_sdk::ReflectClient;
use reflect_types::ProjectSlug;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::dev_config::FolderConfig;
use crate::environment;
use crate::failure::{Failure, Kind};

const DEFAULT_BASE_URL: &str = "http://localhost:8000";
/// The file in the folder of `reflect dev` that says how to reach it.
const FILE: &str = "connection.json";

/// Named on every flag: a heading for the whole struct would stand over the flags of the command too.
const HEADING: &str = "Connection";

/// Where the server is, and as whom.
#[derive(Debug, Clone, Args)]
pub(crate) struct Connection {
    /// Where the server is. Without it, the server of `reflect dev`, else http://localhost:8000.
    #[arg(long, help_heading = HEADING, env = "REFLECT_BASE_URL", value_name = "URL")]
    base_url: Option<String>,
    /// An older name of the same.
    #[arg(long, env = "REFLECT_API_URL", value_name = "URL", hide = true)]
    api_url: Option<String>,
    /// An API key. Better given by its variable: arguments can be seen by others on this machine.
    #[arg(long, help_heading = HEADING, env = "REFLECT_API_KEY", value_name = "KEY", hide_env_values = true)]
    api_key: Option<SecretString>,
    /// The project. Without it, that of `reflect dev`, else "default".
    #[arg(long, help_heading = HEADING, env = "REFLECT_PROJECT_ID", value_name = "PROJECT")]
    project: Option<String>,
    /// How long a call may take with all its repeats, in seconds.
    #[arg(long, help_heading = HEADING, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    #[command(flatten)]
    folder: DevFolder,
}

/// Where `reflect dev` keeps what it needs.
#[derive(Debug, Clone, Args)]
pub(crate) struct DevFolder {
    /// The folder of `reflect dev`, where that is another than the usual one.
    #[arg(long, env = "REFLECT_DEV_FOLDER", value_name = "FOLDER", hide = true)]
    dev_folder: Option<String>,
}

/// What `reflect dev` writes into `connection.json`, readable by its user alone. It holds a key, so it has no `Debug`.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct DevConnection {
    /// Where it listens.
    pub(crate) base_url: String,
    /// A key of the project.
    pub(crate) api_key: String,
    /// The project.
    pub(crate) project_id: String,
}

/// Everything that a client needs, and where it was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Where the server is.
    pub(crate) base_url: String,
    /// The key, if there is one.
    pub(crate) api_key: Option<SecretString>,
    /// The project.
    pub(crate) project: String,
    /// The file that filled something in.
    pub(crate) file: Option<PathBuf>,
}

impl DevConnection {
    /// At the address that the server has now: this file may be of an earlier start.
    fn at(self, now: Self) -> Self {
        Self { base_url: now.base_url, ..self }
    }
}

impl DevFolder {
    /// The folder, whether it is there or not.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        let said = self.dev_folder.as_ref().filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let config =
            FolderConfig::new(said, environment::variable("XDG_DATA_HOME"), environment::variable("HOME"));
        config.folder(rustix::process::geteuid().is_root()).ok()
    }
}

impl Connection {
    /// Where the server is, and as whom, as far as anything says it.
    pub(crate) fn find(&self) -> anyhow::Result<Found> {
        let Some(folder) = self.folder.path() else { return Ok(self.settle(None, None)) };
        let usual = folder.join(FILE);
        let dev = read(&usual)?;
        // A key opens one project, so a project that has a file of its own, such as that of `reflect demo`, comes first.
        let own = self.project.as_deref().and_then(|project| project.trim().parse::<ProjectSlug>().ok());
        let own = own.map(|project| folder.join(format!("{project}.json"))).filter(|file| *file != usual);
        let of_project = own.as_deref().map(read).transpose()?.flatten();
        match (dev, of_project) {
            (Some(dev), Some(of_project)) => Ok(self.instead_of(&dev).settle(Some(of_project.at(dev)), own)),
            (None, Some(of_project)) => Ok(self.settle(Some(of_project), own)),
            (dev, None) => Ok(self.settle(dev, Some(usual))),
        }
    }

    /// The same without the key of the usual project, which people have in their environment because `reflect dev` said
    /// so: it does not open another project.
    fn instead_of(&self, usual: &DevConnection) -> Self {
        let mut other = self.clone();
        other.api_key = other.api_key.filter(|key| key.expose_secret().trim() != usual.api_key);
        other
    }

    /// A client. Nothing is sent.
    pub(crate) fn client(&self) -> anyhow::Result<ReflectClient> {
        let found = self.find()?;
        let Some(key) = &found.api_key else {
            return Err(Failure::new(Kind::Configuration, "no_api_key", "there is no API key")
                .fix("set REFLECT_API_KEY; `reflect keys create` makes a key, `reflect dev` starts a server with one")
                .into());
        };
        let builder = ReflectClient::builder()
            .base_url(found.base_url)
            .api_key(key.expose_secret())
            .project_id(found.project)
            .timeout(Duration::from_secs(self.timeout));
        Ok(builder.build()?)
    }

    /// A key goes to the server it was given for: a file about another server fills nothing in.
    fn settle(&self, dev: Option<DevConnection>, file: Option<PathBuf>) -> Found {
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
        Found {
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

/// What the file says; None when there is none.
fn read(file: &Path) -> anyhow::Result<Option<DevConnection>> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(_) => return Ok(None),
    };
    let read = serde_json::from_str(&text).map_err(|error| {
        let message = format!("{} cannot be read: {error}", file.display());
        Failure::new(Kind::Configuration, "bad_connection_file", message)
            .fix("remove it; the next `reflect dev` writes it anew")
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
    fn the_file_of_dev_fills_in_what_nobody_said() {
        let found = connection(None, None, Some("")).settle(Some(dev()), Some("f".into()));

        assert_eq!((found.base_url.as_str(), found.project.as_str()), ("http://127.0.0.1:8000", "dev"));
        assert_eq!(found.api_key.unwrap().expose_secret(), "rf_test_dev");
        assert_eq!(found.file, Some("f".into()));
    }

    #[test]
    fn what_was_said_wins() {
        let found = connection(Some("http://127.0.0.1:8000/"), Some("mine"), Some("p"));
        let found = found.settle(Some(dev()), Some("f".into()));

        assert_eq!((found.base_url.as_str(), found.project.as_str()), ("http://127.0.0.1:8000/", "p"));
        assert_eq!(found.api_key.unwrap().expose_secret(), "mine");
        assert_eq!(found.file, None);
    }

    #[test]
    fn a_project_with_a_file_of_its_own_is_opened_although_the_usual_key_is_in_the_environment() {
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
    fn the_key_of_dev_is_not_shown_to_another_server() {
        let found = connection(Some("https://reflect.example"), None, None).settle(Some(dev()), None);

        assert!(found.api_key.is_none());
        assert_eq!(found.project, "default");
    }
}
