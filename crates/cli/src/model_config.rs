//! The settings of models, and the models they name.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use reflect_engine::{LearningSettings, Models};
use reflect_model::TextModel;
use reflect_model_providers::{ProviderKind, ProviderSettings, ProviderText, SettingsError};
use secrecy::SecretString;

use crate::config::secret;
use crate::embedder_config::{EmbedderConfig, LocalRuntime, NextEmbedder};
use crate::failure::{Failure, Kind};

/// The model that writes lessons.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reflection")]
pub(crate) struct ReflectionConfig {
    /// Who writes lessons: openai (and every server that speaks its protocol), anthropic, gemini or
    /// ollama. Without one, lessons are put together from task, outcome and feedback.
    #[arg(long, env = "REFLECT_TEXT_PROVIDER")]
    pub(crate) text_provider: Option<ProviderKind>,

    /// The model, as the provider names it.
    #[arg(long, env = "REFLECT_TEXT_MODEL", default_value = "", requires = "text_provider")]
    pub(crate) text_model: String,

    /// Where the provider is, if not at its own address, such as http://127.0.0.1:8080/v1.
    #[arg(long, env = "REFLECT_TEXT_URL", requires = "text_provider")]
    pub(crate) text_url: Option<String>,

    /// The provider's key. A server of your own may need none.
    #[arg(long, env = "REFLECT_TEXT_KEY", hide_env_values = true, value_parser = secret)]
    pub(crate) text_key: Option<SecretString>,

    /// The model that judges runs for projects that switched their judge on, of the same provider; the same as
    /// --text-model when unset.
    #[arg(long, env = "REFLECT_JUDGE_MODEL", requires = "text_provider")]
    pub(crate) judge_model: Option<String>,

    /// How long the provider may take for one answer, in seconds.
    #[arg(long, env = "REFLECT_TEXT_SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) text_seconds: u64,

    /// The longest reflection, in tokens.
    #[arg(long, env = "REFLECT_REFLECTION_TOKENS", default_value_t = 800, value_parser = clap::value_parser!(u32).range(50..=100_000))]
    pub(crate) reflection_tokens: u32,

    /// How much of a trajectory the model is shown, in tokens; the largest messages are cut first.
    #[arg(long, env = "REFLECT_TRAJECTORY_TOKENS", default_value_t = 6000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub(crate) trajectory_tokens: u32,

    /// The most tokens that models may be paid for in a day (UTC) and project. What is over waits for the
    /// next day.
    #[arg(long, env = "REFLECT_DAILY_TOKENS")]
    pub(crate) daily_tokens: Option<u64>,

    /// How many reviews are learned from at one time by this process.
    #[arg(long, env = "REFLECT_LEARNERS", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) learners: u16,
}

/// The models that turn texts into vectors.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Embedding")]
pub(crate) struct EmbeddingConfig {
    #[command(flatten)]
    pub(crate) embedder: EmbedderConfig,

    /// For local: the library of ONNX Runtime, libonnxruntime.so.
    #[arg(long, env = "REFLECT_ONNXRUNTIME")]
    pub(crate) onnxruntime: Option<PathBuf>,

    /// For local: how many threads compute.
    #[arg(long, env = "REFLECT_EMBEDDER_THREADS", default_value_t = NonZeroUsize::MIN)]
    pub(crate) embedder_threads: NonZeroUsize,

    /// How long a question may wait for its vector before it is answered by words, in milliseconds.
    #[arg(long, env = "REFLECT_QUESTION_MS", default_value_t = 500, value_parser = clap::value_parser!(u64).range(10..=60_000))]
    pub(crate) question_ms: u64,

    #[command(flatten)]
    pub(crate) next: NextEmbedder,
}

impl ReflectionConfig {
    pub(crate) fn learning(&self) -> LearningSettings {
        LearningSettings {
            reflection_tokens: self.reflection_tokens,
            trajectory_tokens: self.trajectory_tokens as usize,
            daily_tokens: self.daily_tokens,
        }
    }

    fn model(&self, name: &str, flag: &'static str) -> anyhow::Result<Option<Arc<dyn TextModel>>> {
        let Some(kind) = self.text_provider else { return Ok(None) };
        let settings = ProviderSettings {
            base_url: self.text_url.clone(),
            api_key: self.text_key.clone(),
            timeout: Duration::from_secs(self.text_seconds),
            ..ProviderSettings::new(kind, name)
        };
        let model = ProviderText::connect(&settings).map_err(|error| unusable(&error, flag, "--text"))?;
        Ok(Some(Arc::new(model)))
    }
}

/// What is wrong with the settings of a provider, and which of them to mend. `begins` is how their flags begin.
pub(crate) fn unusable(error: &SettingsError, flag: &str, begins: &str) -> Failure {
    let named = |end: &str| {
        let flag = format!("{begins}-{end}");
        format!("REFLECT{} ({flag})", flag[1..].replace('-', "_").to_uppercase())
    };
    let fix = match error {
        SettingsError::MissingKey(_) => {
            format!("set {}, or {} to a server of yours that needs none", named("key"), named("url"))
        }
        SettingsError::UnusableKey => format!("set {} anew", named("key")),
        SettingsError::MissingModel(_) => format!("set {}", named("model")),
        SettingsError::UnusableUrl(_) => format!("mend {}", named("url")),
        _ => format!("choose another {flag}"),
    };
    let message = format!("what {flag} names cannot be used: {error}");
    Failure::new(Kind::Configuration, "configuration", message).fix(fix)
}

/// The models that the settings name.
pub(crate) fn models(reflection: &ReflectionConfig, embedding: &EmbeddingConfig) -> anyhow::Result<Models> {
    let judge = reflection.judge_model.as_deref().filter(|name| !name.trim().is_empty());
    let (one, next) = (&embedding.embedder, &embedding.next.0);
    let runtime =
        LocalRuntime { library: embedding.onnxruntime.clone(), threads: embedding.embedder_threads };
    let embedder = one.embedder(&runtime, "--embedder")?;
    let next_embedder = match one.is_same_local(next) {
        true => embedder.clone(),
        false => next.embedder(&runtime, "--next-embedder")?,
    };
    Ok(Models {
        text: reflection.model(&reflection.text_model, "--text-model")?,
        judge: judge.map_or(Ok(None), |name| reflection.model(name, "--judge-model"))?,
        embedder,
        embeds: one.embedder_key_text,
        next_embedder,
        next_embeds: next.embedder_key_text,
        question_deadline: Some(Duration::from_millis(embedding.question_ms)),
    })
}
