//! The settings of models, and the models that they describe.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use reflect_engine::{LearningSettings, Models};
use reflect_model::TextModel;
use reflect_model_providers::{ProviderKind, ProviderSettings, ProviderText};
use reflect_outbound::OutboundProxy;
use secrecy::SecretString;

use super::embedder::{EmbedderConfig, LocalRuntime, NextEmbedder};
use super::provider::provider_parser;
use super::provider_failure::provider_failure;
use super::secret::secret;

/// The model that writes lessons.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reflection")]
pub(crate) struct ReflectionConfig {
    /// The provider of the model that writes lessons. openai is also for compatible servers. Without a provider, lessons
    /// are built from task, outcome and feedback.
    #[arg(long, env = "REFLECT_TEXT_PROVIDER", ignore_case = true, value_parser = provider_parser())]
    pub(crate) text_provider: Option<ProviderKind>,

    /// The name of the model at the provider.
    #[arg(long, env = "REFLECT_TEXT_MODEL", default_value = "", requires = "text_provider")]
    pub(crate) text_model: String,

    /// The URL of the provider, such as http://127.0.0.1:8080/v1. Default: the provider's public address.
    #[arg(long, env = "REFLECT_TEXT_URL", requires = "text_provider")]
    pub(crate) text_url: Option<String>,

    /// The API key of the provider. Your own server may need none.
    #[arg(long, env = "REFLECT_TEXT_KEY", hide_env_values = true, value_parser = secret)]
    pub(crate) text_key: Option<SecretString>,

    /// The model that judges runs, for projects with the judge enabled. It is from the same provider. Default:
    /// --text-model.
    #[arg(long, env = "REFLECT_JUDGE_MODEL", requires = "text_provider")]
    pub(crate) judge_model: Option<String>,

    /// The timeout of a call to the provider, in seconds.
    #[arg(long, env = "REFLECT_TEXT_SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) text_seconds: u64,

    /// The maximum length of a reflection, in tokens.
    #[arg(long, env = "REFLECT_REFLECTION_TOKENS", default_value_t = 800, value_parser = clap::value_parser!(u32).range(50..=100_000))]
    pub(crate) reflection_tokens: u32,

    /// The maximum length of a trajectory in a prompt, in tokens. The longest messages are shortened first.
    #[arg(long, env = "REFLECT_TRAJECTORY_TOKENS", default_value_t = 6000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub(crate) trajectory_tokens: u32,

    /// The maximum number of tokens per day (UTC) and project. Further work waits for the next day.
    #[arg(long, env = "REFLECT_DAILY_TOKENS")]
    pub(crate) daily_tokens: Option<u64>,

    /// How many reviews this process learns from concurrently.
    #[arg(long, env = "REFLECT_LEARNERS", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) learners: u16,

    /// From how many reviews of one project all processes learn concurrently. Use the same value in all processes.
    #[arg(long, env = "REFLECT_PROJECT_LEARNERS", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=32))]
    pub(crate) project_learners: u16,

    /// How many runs of one project all processes judge concurrently. Use the same value in all processes.
    #[arg(long, env = "REFLECT_PROJECT_JUDGES", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=32))]
    pub(crate) project_judges: u16,
}

/// The embedding models.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Embedding")]
pub(crate) struct EmbeddingConfig {
    #[command(flatten)]
    pub(crate) embedder: EmbedderConfig,

    /// For local: the path of the ONNX Runtime library, libonnxruntime.so.
    #[arg(long, env = "REFLECT_ONNXRUNTIME")]
    pub(crate) onnxruntime: Option<PathBuf>,

    /// For local: the number of threads.
    #[arg(long, env = "REFLECT_EMBEDDER_THREADS", default_value_t = NonZeroUsize::MIN)]
    pub(crate) embedder_threads: NonZeroUsize,

    /// How long a query may wait for its embedding, in milliseconds. After that it is answered by word search.
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

    fn model(
        &self,
        name: &str,
        flag: &'static str,
        proxy: Option<&OutboundProxy>,
    ) -> anyhow::Result<Option<Arc<dyn TextModel>>> {
        let Some(kind) = self.text_provider else { return Ok(None) };
        let settings = ProviderSettings {
            base_url: self.text_url.clone(),
            api_key: self.text_key.clone(),
            timeout: Duration::from_secs(self.text_seconds),
            proxy: proxy.cloned(),
            ..ProviderSettings::new(kind, name)
        };
        let model =
            ProviderText::connect(&settings).map_err(|error| provider_failure(&error, flag, "--text"))?;
        Ok(Some(Arc::new(model)))
    }
}

/// Creates the models from the settings.
pub(crate) fn models(
    reflection: &ReflectionConfig,
    embedding: &EmbeddingConfig,
    proxy: Option<&OutboundProxy>,
) -> anyhow::Result<Models> {
    let judge = reflection.judge_model.as_deref().filter(|name| !name.trim().is_empty());
    let (one, next) = (&embedding.embedder, &embedding.next.0);
    let runtime =
        LocalRuntime { library: embedding.onnxruntime.clone(), threads: embedding.embedder_threads };
    let embedder = one.embedder(&runtime, "--embedder", proxy)?;
    let next_embedder = match one.is_same_local(next) {
        true => embedder.clone(),
        false => next.embedder(&runtime, "--next-embedder", proxy)?,
    };
    Ok(Models {
        text: reflection.model(&reflection.text_model, "--text-model", proxy)?,
        judge: judge.map_or(Ok(None), |name| reflection.model(name, "--judge-model", proxy))?,
        embedder,
        embeds: one.embedder_key_text,
        next_embedder,
        next_embeds: next.embedder_key_text,
        question_deadline: Some(Duration::from_millis(embedding.question_ms)),
    })
}
