//! The settings of `reflect dev` and `reflect demo`, and what they read from the environment.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use reflect_model_providers::ProviderKind;
use secrecy::SecretString;

use super::encryption::EncryptionConfig;
use super::provider::{ProviderKeys, perhaps_empty, possible_value, present};

/// The folder of a development server.
#[derive(Debug, Clone, Args)]
pub(crate) struct FolderConfig {
    /// The folder of the development server, with its database and its API key. Default: `reflect/dev` in the user's data
    /// folder, `/var/lib/reflect/dev` for root.
    #[arg(long = "folder", env = "REFLECT_DEV_FOLDER")]
    pub(crate) dev_folder: Option<PathBuf>,

    #[arg(long, env = "XDG_DATA_HOME", hide = true)]
    xdg_data_home: Option<String>,

    #[arg(long, env = "HOME", hide = true)]
    home: Option<String>,
}

impl FolderConfig {
    /// For commands without flags for the folder.
    pub(crate) fn new(
        dev_folder: Option<PathBuf>,
        xdg_data_home: Option<String>,
        home: Option<String>,
    ) -> Self {
        Self { dev_folder, xdg_data_home, home }
    }

    /// The path of the folder. Root cannot use its home folder, because Postgres runs as another user, who cannot enter
    /// it.
    pub(crate) fn folder(&self, is_root: bool) -> anyhow::Result<PathBuf> {
        let said = |variable: &Option<String>| {
            variable.as_deref().map(PathBuf::from).filter(|path| path.is_absolute())
        };
        if let Some(folder) = &self.dev_folder {
            return Ok(std::path::absolute(folder)?);
        }
        if is_root {
            return Ok(PathBuf::from("/var/lib/reflect/dev"));
        }
        let data =
            said(&self.xdg_data_home).or_else(|| said(&self.home).map(|home| home.join(".local/share")));
        match data {
            Some(data) => Ok(data.join("reflect/dev")),
            None => anyhow::bail!("there is no home folder for the data; set REFLECT_DEV_FOLDER"),
        }
    }
}

/// The configuration of a development server. All other settings are read from the variables of `serve`.
#[derive(Debug, Clone, Args)]
pub(crate) struct DevConfig {
    /// The port on 127.0.0.1. If it is in use, the next free port is used.
    #[arg(long, default_value_t = 8000)]
    pub(crate) port: u16,

    #[command(flatten)]
    pub(crate) folder: FolderConfig,

    /// Keep the data in a temporary folder, ignore --folder, and remove the data at the end.
    #[arg(long)]
    pub(crate) ephemeral: bool,

    /// Create the project `demo` with example runs.
    #[arg(long)]
    pub(crate) demo: bool,

    /// Do not open the console in a browser.
    #[arg(long)]
    pub(crate) no_open: bool,

    /// The provider of the model that writes lessons. auto uses the first of: REFLECT_TEXT_PROVIDER, --text-url, the key
    /// of a provider in the environment, Ollama on this machine; else lessons are built offline.
    #[arg(long, value_enum, default_value_t = ReflectorName::Auto)]
    pub(crate) reflector: ReflectorName,

    /// The name of the model that writes lessons. Default: a small model of the provider, or the first model of your own
    /// server.
    #[arg(long, env = "REFLECT_TEXT_MODEL")]
    pub(crate) text_model: Option<String>,

    /// The URL of an OpenAI-compatible server, such as http://127.0.0.1:8080/v1.
    #[arg(long, env = "REFLECT_TEXT_URL")]
    pub(crate) text_url: Option<String>,

    /// The folder with the programs of Postgres (15 or newer, with pgvector 0.8.4 or newer).
    #[arg(long, env = "REFLECT_POSTGRES_BIN")]
    pub(crate) postgres_bin: Option<PathBuf>,

    /// The log filter: a level, or a list such as info,reflect_store=debug.
    #[arg(long, env = "REFLECT_LOG", default_value = "warn")]
    pub(crate) log: String,

    #[command(flatten)]
    pub(crate) surroundings: Surroundings,
}

/// The provider of the model that writes lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReflectorName {
    Auto,
    Provider(ProviderKind),
    Offline,
}

impl ValueEnum for ReflectorName {
    fn value_variants<'a>() -> &'a [Self] {
        static VARIANTS: LazyLock<Vec<ReflectorName>> = LazyLock::new(|| {
            let providers = ProviderKind::ALL.map(ReflectorName::Provider);
            [ReflectorName::Auto].into_iter().chain(providers).chain([ReflectorName::Offline]).collect()
        });
        &VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Auto => PossibleValue::new("auto").help("The first that is found"),
            Self::Provider(kind) => match kind.key_variable() {
                Some(variable) => possible_value(*kind).help(format!("{} ({variable})", kind.title())),
                None => possible_value(*kind),
            },
            Self::Offline => PossibleValue::new("offline")
                .help("No model: lessons are built from task, outcome and feedback"),
        })
    }
}

/// Variables of other programs. The flags exist only for tests.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Surroundings {
    #[arg(long, env = "REFLECT_TEXT_PROVIDER", hide = true)]
    pub(crate) text_provider: Option<ProviderKind>,

    #[arg(long, env = "REFLECT_TEXT_KEY", hide = true, hide_env_values = true, value_parser = perhaps_empty)]
    pub(crate) text_key: Option<SecretString>,

    #[command(flatten)]
    pub(crate) provider_keys: ProviderKeys,

    #[arg(long, env = "OPENAI_BASE_URL", hide = true)]
    pub(crate) openai_base_url: Option<String>,

    /// The URL of Ollama.
    #[arg(long, default_value = "http://127.0.0.1:11434", hide = true)]
    pub(crate) ollama_url: String,

    #[arg(long, env = "DISPLAY", hide = true)]
    pub(crate) display: Option<String>,

    #[arg(long, env = "WAYLAND_DISPLAY", hide = true)]
    pub(crate) wayland_display: Option<String>,

    #[arg(long, env = "PATH", hide = true)]
    pub(crate) search_path: Option<std::ffi::OsString>,
}

impl Surroundings {
    /// The API key for a provider, and the variable that it comes from. An empty variable counts as absent.
    pub(crate) fn key_of(&self, kind: ProviderKind) -> Option<(&'static str, SecretString)> {
        let general = present(self.text_key.clone()).map(|key| ("REFLECT_TEXT_KEY", key));
        general.or_else(|| self.provider_keys.get(kind))
    }
}

/// Example runs, on a development server or on another server.
#[derive(Debug, Clone, Args)]
pub(crate) struct DemoConfig {
    #[command(flatten)]
    pub(crate) folder: FolderConfig,

    #[command(flatten)]
    pub(crate) encryption: EncryptionConfig,

    /// Remove the example project instead.
    #[arg(long)]
    pub(crate) clean: bool,

    /// The URL of another server. Default: the development server of this machine.
    #[arg(long, requires = "api_key")]
    pub(crate) base_url: Option<String>,

    /// For another server: a master key.
    #[arg(long, env = "REFLECT_DEMO_KEY", hide_env_values = true, value_parser = super::secret::secret, requires = "base_url")]
    pub(crate) api_key: Option<SecretString>,

    /// For another server: its database, to store the verdicts of an invented judge too.
    #[arg(long, env = "REFLECT_DATABASE_URL", hide_env_values = true, value_parser = super::secret::secret)]
    pub(crate) database_url: Option<SecretString>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(dev: Option<&str>, xdg: Option<&str>, home: Option<&str>) -> FolderConfig {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        FolderConfig::new(dev.map(PathBuf::from), owned(xdg), owned(home))
    }

    #[test]
    fn the_folder_is_configured_or_in_the_data_folder_or_at_home() {
        let path = |config: FolderConfig| config.folder(false).unwrap().display().to_string();

        assert_eq!(path(folder(Some("/d"), Some("/x"), Some("/h"))), "/d");
        assert_eq!(path(folder(None, Some("/x"), Some("/h"))), "/x/reflect/dev");
        assert_eq!(path(folder(None, Some(""), Some("/h"))), "/h/.local/share/reflect/dev");
        assert!(
            folder(None, None, None).folder(false).unwrap_err().to_string().contains("REFLECT_DEV_FOLDER")
        );
    }

    #[test]
    fn root_uses_a_folder_that_the_database_user_can_enter() {
        let config = folder(None, Some("/x"), Some("/root"));

        assert_eq!(config.folder(true).unwrap(), PathBuf::from("/var/lib/reflect/dev"));
    }
}
