//! The settings of an embedder. There are two embedders, to migrate projects from one to the other. The settings of the
//! second start with `next-`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use reflect_model::Embedder;
use reflect_model_local::{LocalEmbedder, LocalModel};
use reflect_model_providers::{ProviderEmbedder, ProviderKind, ProviderSettings};
use reflect_outbound::OutboundProxy;
use reflect_types::EmbeddedText;
use secrecy::SecretString;

use super::provider::{leak, possible_value};
use super::provider_failure::provider_failure;
use super::secret::secret;
use crate::failure::{Failure, Kind, with_causes};

/// An embedder.
#[derive(Debug, Clone, Args)]
pub(crate) struct EmbedderConfig {
    /// The embedder: local (in this process), a provider (openai is also for compatible servers), or off. Default: local
    /// if its folder is set, else off. Without an embedder, memories are found by words.
    #[arg(long, env = "REFLECT_EMBEDDER", value_enum)]
    pub(crate) embedder: Option<EmbedderName>,

    /// For local: the folder with model.onnx and tokenizer.json.
    #[arg(long, env = "REFLECT_EMBEDDER_FOLDER")]
    pub(crate) embedder_folder: Option<PathBuf>,

    /// For a provider: the name of the model.
    #[arg(long, env = "REFLECT_EMBEDDER_MODEL", default_value = "")]
    pub(crate) embedder_model: String,

    /// For a provider: the number of dimensions, for models that support several. At most 1300 can be searched.
    #[arg(long, env = "REFLECT_EMBEDDER_DIMENSIONS")]
    pub(crate) embedder_dimensions: Option<usize>,

    /// For a provider: its URL. Default: its public address.
    #[arg(long, env = "REFLECT_EMBEDDER_URL")]
    pub(crate) embedder_url: Option<String>,

    /// For a provider: its API key.
    #[arg(long, env = "REFLECT_EMBEDDER_KEY", hide_env_values = true, value_parser = secret)]
    pub(crate) embedder_key: Option<SecretString>,

    /// Which text of a memory is embedded: task or reflection. Queries are always embedded as tasks.
    #[arg(long, env = "REFLECT_EMBEDDER_KEY_TEXT", default_value = "task")]
    pub(crate) embedder_key_text: EmbeddedText,
}

/// The kind of embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EmbedderName {
    Local,
    Provider(ProviderKind),
    Off,
}

impl ValueEnum for EmbedderName {
    fn value_variants<'a>() -> &'a [Self] {
        static VARIANTS: LazyLock<Vec<EmbedderName>> = LazyLock::new(|| {
            let providers = ProviderKind::ALL.into_iter().filter(|kind| kind.has_embeddings());
            let providers = providers.map(EmbedderName::Provider);
            [EmbedderName::Local].into_iter().chain(providers).chain([EmbedderName::Off]).collect()
        });
        &VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Local => PossibleValue::new("local").help("This process"),
            Self::Provider(kind) => possible_value(*kind),
            Self::Off => PossibleValue::new("off").help("No embedder"),
        })
    }
}

/// How local embedders run. All share one library.
#[derive(Debug, Clone)]
pub(crate) struct LocalRuntime {
    pub(crate) library: Option<PathBuf>,
    pub(crate) threads: NonZeroUsize,
}

impl EmbedderConfig {
    /// Creates the embedder. `flag` is the prefix of its settings.
    pub(crate) fn embedder(
        &self,
        runtime: &LocalRuntime,
        flag: &str,
        proxy: Option<&OutboundProxy>,
    ) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
        let kind = match self.kind() {
            EmbedderName::Off => return Ok(None),
            EmbedderName::Local => return self.local(runtime, flag).map(Some),
            EmbedderName::Provider(kind) => kind,
        };
        let settings = ProviderSettings {
            base_url: self.embedder_url.clone(),
            api_key: self.embedder_key.clone(),
            dimensions: self.embedder_dimensions,
            timeout: Duration::from_secs(30),
            proxy: proxy.cloned(),
            ..ProviderSettings::new(kind, &self.embedder_model)
        };
        let embedder =
            ProviderEmbedder::connect(&settings).map_err(|error| provider_failure(&error, flag, flag))?;
        Ok(Some(Arc::new(embedder)))
    }

    /// Whether both are the same local model, which is then loaded once.
    pub(crate) fn is_same_local(&self, other: &Self) -> bool {
        self.kind() == EmbedderName::Local
            && other.kind() == EmbedderName::Local
            && self.embedder_folder == other.embedder_folder
    }

    fn kind(&self) -> EmbedderName {
        let usual = if self.embedder_folder.is_some() { EmbedderName::Local } else { EmbedderName::Off };
        self.embedder.unwrap_or(usual)
    }

    fn local(&self, runtime: &LocalRuntime, flag: &str) -> anyhow::Result<Arc<dyn Embedder>> {
        const ABOUT: &str = "docs/PACKAGES.md describes where to get the model and the library; without an embedder, \
                             memories are found by words";
        let needs = |what: &str| {
            let message = format!("{flag} local needs {what}");
            Failure::new(Kind::Configuration, "configuration", message).fix(ABOUT)
        };
        let folder = self.embedder_folder.clone().ok_or_else(|| needs(&format!("{flag}-folder")))?;
        let library = runtime.library.clone();
        let library = library
            .ok_or_else(|| needs("REFLECT_ONNXRUNTIME (--onnxruntime), the file libonnxruntime.so"))?;
        let model = LocalModel { folder, runtime_library: library, threads: runtime.threads };
        let loaded = LocalEmbedder::load(&model).map_err(|error| {
            let message =
                with_causes(&anyhow::Error::from(error).context("the local embedder cannot be used"));
            let fix = format!("check {flag}-folder and --onnxruntime, or their variables; {ABOUT}");
            Failure::new(Kind::Local, "local_model", message).fix(fix)
        })?;
        Ok(Arc::new(loaded))
    }
}

/// The second embedder: the settings of the first with another prefix.
#[derive(Debug, Clone)]
pub(crate) struct NextEmbedder(pub(crate) EmbedderConfig);

const HEADING: &str = "Changing the embedding model";

impl Args for NextEmbedder {
    fn augment_args(command: Command) -> Command {
        let plain = EmbedderConfig::augment_args(Command::new("embedder"));
        plain.get_arguments().fold(command, |command, arg| {
            let id = leak(format!("next_{}", arg.get_id()));
            let long = leak(format!("next-{}", arg.get_long().unwrap_or_default()));
            let variable = arg.get_env().unwrap_or_default().to_string_lossy();
            let variable = leak(variable.replacen("REFLECT_", "REFLECT_NEXT_", 1));
            let help = match arg.get_id() == "embedder" {
                true => {
                    "The second embedder, to migrate projects to it or from it. Same values as --embedder"
                        .into()
                }
                false => arg.get_help().cloned().unwrap_or_default(),
            };
            let renamed = arg.clone().id(id).long(long).env(variable).help(help).help_heading(HEADING);
            command.arg(renamed.long_help(clap::builder::Resettable::Reset))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for NextEmbedder {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(EmbedderConfig {
            embedder: matches.remove_one("next_embedder"),
            embedder_folder: matches.remove_one("next_embedder_folder"),
            embedder_model: matches.remove_one("next_embedder_model").unwrap_or_default(),
            embedder_dimensions: matches.remove_one("next_embedder_dimensions"),
            embedder_url: matches.remove_one("next_embedder_url"),
            embedder_key: matches.remove_one("next_embedder_key"),
            embedder_key_text: matches.remove_one("next_embedder_key_text").unwrap_or_default(),
        }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> EmbedderConfig {
        let command = NextEmbedder::augment_args(EmbedderConfig::augment_args(Command::new("test")));
        let matches = command.try_get_matches_from(arguments).unwrap();
        assert_eq!(EmbedderConfig::from_arg_matches(&matches).unwrap().embedder_model, "one");
        NextEmbedder::from_arg_matches(&matches).unwrap().0
    }

    #[test]
    fn the_next_embedder_has_the_settings_of_the_first() {
        let next = read(&[
            "test",
            "--embedder-model",
            "one",
            "--next-embedder",
            "openai",
            "--next-embedder-folder",
            "f",
            "--next-embedder-model",
            "two",
            "--next-embedder-dimensions",
            "5",
            "--next-embedder-url",
            "u",
            "--next-embedder-key",
            "k",
            "--next-embedder-key-text",
            "reflection",
        ]);
        assert_eq!(next.embedder, Some(EmbedderName::Provider(ProviderKind::OpenAi)));
        assert_eq!(next.embedder_folder, Some(PathBuf::from("f")));
        assert_eq!((next.embedder_model.as_str(), next.embedder_dimensions), ("two", Some(5)));
        assert_eq!((next.embedder_url.as_deref(), next.embedder_key.is_some()), (Some("u"), true));
        assert_eq!(next.embedder_key_text, EmbeddedText::Reflection);

        let command = NextEmbedder::augment_args(Command::new("test"));
        let first = EmbedderConfig::augment_args(Command::new("test"));
        assert_eq!(command.get_arguments().count(), first.get_arguments().count());
        let variables: Vec<_> = command.get_arguments().filter_map(clap::Arg::get_env).collect();
        assert!(variables.contains(&"REFLECT_NEXT_EMBEDDER_KEY_TEXT".as_ref()), "{variables:?}");
    }
}
