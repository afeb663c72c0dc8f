//! The settings of `reflect dev` and `reflect demo`, and what they want to know of the environment they are started in.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use reflect_model_providers::ProviderKind;
use secrecy::{ExposeSecret, SecretString};

/// Where a development server keeps what it has.
#[derive(Debug, Clone, Args)]
pub(crate) struct FolderConfig {
    /// The folder of the development server: its database, and the key to it.
    /// `reflect/dev` in the user's data folder when unset, `/var/lib/reflect/dev` for root.
    #[arg(long = "folder", env = "REFLECT_DEV_FOLDER")]
    pub(crate) dev_folder: Option<PathBuf>,

    #[arg(long, env = "XDG_DATA_HOME", hide = true)]
    xdg_data_home: Option<String>,

    #[arg(long, env = "HOME", hide = true)]
    home: Option<String>,
}

impl FolderConfig {
    /// For commands that look for the folder and have no flags for it.
    pub(crate) fn new(
        dev_folder: Option<PathBuf>,
        xdg_data_home: Option<String>,
        home: Option<String>,
    ) -> Self {
        Self { dev_folder, xdg_data_home, home }
    }

    /// The folder, or why there is none. Root's home is closed to everybody else, and its Postgres runs as somebody else.
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
            None => anyhow::bail!("there is no home folder to keep the data in; set REFLECT_DEV_FOLDER"),
        }
    }
}

/// The configuration of a development server. What it does not say is as in `serve`, whose variables are read too.
#[derive(Debug, Clone, Args)]
pub(crate) struct DevConfig {
    /// The port on 127.0.0.1. When it is taken, the next free one is.
    #[arg(long, default_value_t = 8000)]
    pub(crate) port: u16,

    #[command(flatten)]
    pub(crate) folder: FolderConfig,

    /// Keep the data in a temporary folder, whatever --folder says, and remove it in the end.
    #[arg(long)]
    pub(crate) ephemeral: bool,

    /// Fill the project `demo` with example runs.
    #[arg(long)]
    pub(crate) demo: bool,

    /// Do not open the console in a browser.
    #[arg(long)]
    pub(crate) no_open: bool,

    /// Who writes lessons. auto takes the first it finds: REFLECT_TEXT_PROVIDER, --text-url, OPENAI_API_KEY,
    /// ANTHROPIC_API_KEY, GEMINI_API_KEY, an Ollama on this machine; else lessons are put together offline.
    #[arg(long, value_enum, default_value_t = ReflectorName::Auto)]
    pub(crate) reflector: ReflectorName,

    /// The model that writes lessons, as its provider names it. A usual one when unset; the first that a server of
    /// one's own offers.
    #[arg(long, env = "REFLECT_TEXT_MODEL")]
    pub(crate) text_model: Option<String>,

    /// A server that speaks OpenAI's protocol, such as http://127.0.0.1:8080/v1.
    #[arg(long, env = "REFLECT_TEXT_URL")]
    pub(crate) text_url: Option<String>,

    /// The folder with the programs of Postgres (15 or newer, with pgvector 0.8.4 or newer).
    #[arg(long, env = "REFLECT_POSTGRES_BIN")]
    pub(crate) postgres_bin: Option<PathBuf>,

    /// What is logged: a level, or a list such as info,reflect_store=debug.
    #[arg(long, env = "REFLECT_LOG", default_value = "warn")]
    pub(crate) log: String,

    #[command(flatten)]
    pub(crate) surroundings: Surroundings,
}

/// Who writes lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReflectorName {
    /// Whoever is found.
    Auto,
    /// OpenAI, and every server that speaks its protocol.
    Openai,
    /// Anthropic.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// Ollama.
    Ollama,
    /// Nobody: lessons are put together from task, outcome and feedback.
    Offline,
}

/// What other programs have left in the environment. Flags exist for tests alone.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Surroundings {
    #[arg(long, env = "REFLECT_TEXT_PROVIDER", hide = true)]
    pub(crate) text_provider: Option<ProviderKind>,

    #[arg(long, env = "REFLECT_TEXT_KEY", hide = true, hide_env_values = true, value_parser = perhaps_empty)]
    pub(crate) text_key: Option<SecretString>,

    #[arg(long, env = "OPENAI_API_KEY", hide = true, hide_env_values = true, value_parser = perhaps_empty)]
    pub(crate) openai_api_key: Option<SecretString>,

    #[arg(long, env = "OPENAI_BASE_URL", hide = true)]
    pub(crate) openai_base_url: Option<String>,

    #[arg(long, env = "ANTHROPIC_API_KEY", hide = true, hide_env_values = true, value_parser = perhaps_empty)]
    pub(crate) anthropic_api_key: Option<SecretString>,

    #[arg(long, env = "GEMINI_API_KEY", hide = true, hide_env_values = true, value_parser = perhaps_empty)]
    pub(crate) gemini_api_key: Option<SecretString>,

    /// Where an Ollama is looked for.
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
    /// The key that is meant for a provider; an empty variable is none.
    pub(crate) fn key_of(&self, kind: ProviderKind) -> Option<(&'static str, SecretString)> {
        let (name, own) = match kind {
            ProviderKind::OpenAi => ("OPENAI_API_KEY", &self.openai_api_key),
            ProviderKind::Anthropic => ("ANTHROPIC_API_KEY", &self.anthropic_api_key),
            ProviderKind::Gemini => ("GEMINI_API_KEY", &self.gemini_api_key),
            ProviderKind::Ollama => ("", &None),
        };
        let said = |name, key: &Option<SecretString>| {
            key.clone().filter(|key| !key.expose_secret().trim().is_empty()).map(|key| (name, key))
        };
        said("REFLECT_TEXT_KEY", &self.text_key).or_else(|| said(name, own))
    }
}

#[expect(clippy::unnecessary_wraps, reason = "what clap asks of a parser")]
fn perhaps_empty(text: &str) -> Result<SecretString, std::convert::Infallible> {
    Ok(text.to_owned().into())
}

/// Example runs, on a development server or on any other.
#[derive(Debug, Clone, Args)]
pub(crate) struct DemoConfig {
    #[command(flatten)]
    pub(crate) folder: FolderConfig,

    /// Remove the example project instead.
    #[arg(long)]
    pub(crate) clean: bool,

    /// Another server than the development server of this machine.
    #[arg(long, requires = "api_key")]
    pub(crate) base_url: Option<String>,

    /// For another server: a master key of it.
    #[arg(long, env = "REFLECT_DEMO_KEY", hide_env_values = true, value_parser = crate::config::secret, requires = "base_url")]
    pub(crate) api_key: Option<SecretString>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(dev: Option<&str>, xdg: Option<&str>, home: Option<&str>) -> FolderConfig {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        FolderConfig::new(dev.map(PathBuf::from), owned(xdg), owned(home))
    }

    #[test]
    fn the_folder_is_the_one_that_is_said_else_in_the_data_folder_else_at_home() {
        let path = |config: FolderConfig| config.folder(false).unwrap().display().to_string();

        assert_eq!(path(folder(Some("/d"), Some("/x"), Some("/h"))), "/d");
        assert_eq!(path(folder(None, Some("/x"), Some("/h"))), "/x/reflect/dev");
        assert_eq!(path(folder(None, Some(""), Some("/h"))), "/h/.local/share/reflect/dev");
        assert!(
            folder(None, None, None).folder(false).unwrap_err().to_string().contains("REFLECT_DEV_FOLDER")
        );
    }

    #[test]
    fn root_keeps_its_data_where_the_databases_user_can_enter() {
        let config = folder(None, Some("/x"), Some("/root"));

        assert_eq!(config.folder(true).unwrap(), PathBuf::from("/var/lib/reflect/dev"));
    }

    #[test]
    fn an_empty_variable_is_no_key() {
        let surroundings = Surroundings {
            openai_api_key: Some("".into()),
            gemini_api_key: Some("g".into()),
            ..Surroundings::default()
        };

        assert!(surroundings.key_of(ProviderKind::OpenAi).is_none());
        assert_eq!(surroundings.key_of(ProviderKind::Gemini).unwrap().0, "GEMINI_API_KEY");
    }
}
