//! The neural network: tokens in, vectors out.

use std::num::NonZeroUsize;
use std::path::Path;

use ort::environment::Environment;
use ort::session::builder::GraphOptimizationLevel;
use ort::session::{Session, SessionInputValue};
use ort::value::Tensor;
use reflect_model::{Embedding, ModelError};

use crate::LoadError;

/// A loaded model. It computes one batch at a time.
pub(crate) struct Network {
    session: Session,
    inputs: Vec<Input>,
}

/// The inputs of a network, by their usual names in exported models.
#[derive(Clone, Copy)]
enum Input {
    Ids,
    Mask,
    Types,
}

impl Network {
    pub(crate) fn load(
        path: &Path,
        environment: &Environment,
        threads: NonZeroUsize,
    ) -> Result<Self, LoadError> {
        let unusable = |source| LoadError::UnusableModel {
            path: path.to_owned(),
            expected: "it should be a network in the ONNX format that this ONNX Runtime can run",
            source,
        };
        let session = open(path, environment, threads).map_err(|error| unusable(error.into()))?;
        let inputs: Result<_, _> = session.inputs().iter().map(|input| Input::named(input.name())).collect();
        let inputs = inputs.map_err(|reason| unusable(reason.into()))?;
        Ok(Self { session, inputs })
    }

    /// Computes one vector per text. Texts are padded to the longest one.
    pub(crate) fn run(&mut self, texts: &[Vec<i64>]) -> Result<Vec<Embedding>, ModelError> {
        let longest = texts.iter().map(Vec::len).max().unwrap_or(0);
        let inputs: ort::Result<Vec<SessionInputValue<'_>>> =
            self.inputs.iter().map(|input| Ok(input.tensor(texts, longest)?.into())).collect();
        let inputs = inputs.map_err(|error| failed(&error))?;
        let outputs = self.session.run(inputs.as_slice()).map_err(|error| failed(&error))?;
        let vectors = &outputs[0];
        let (shape, values) = vectors.try_extract_tensor::<f32>().map_err(|error| {
            ModelError::unreadable(format!("the local model gave something else than numbers: {error}"))
        })?;
        match shape[..] {
            [rows, columns] if rows == texts.len() as i64 && columns > 0 => {
                values.chunks_exact(columns as usize).map(|row| Embedding::new(row.to_vec())).collect()
            }
            _ => Err(ModelError::unreadable(format!(
                "the local model gave numbers in the shape {shape:?} for {} texts; one vector per text was \
                 expected, so the mean of the tokens has to be part of the network",
                texts.len()
            ))),
        }
    }
}

fn open(path: &Path, environment: &Environment, threads: NonZeroUsize) -> ort::Result<Session> {
    Session::builder(environment)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        .with_intra_threads(threads.get())?
        // Threads must not spin while they wait, because that keeps cores busy between calls.
        .with_intra_op_spinning(false)?
        // The memory pattern is cached for every input shape, and texts have many lengths.
        .with_memory_pattern(false)?
        .commit_from_file(path)
}

/// Most errors are a lack of memory, which may be temporary.
fn failed(error: &ort::Error) -> ModelError {
    ModelError::retry_later(format!("the local model failed: {error}"), None)
}

impl Input {
    fn named(name: &str) -> Result<Self, String> {
        match name {
            "input_ids" => Ok(Self::Ids),
            "attention_mask" => Ok(Self::Mask),
            "token_type_ids" => Ok(Self::Types),
            other => Err(format!(
                "it takes an input `{other}`; only input_ids, attention_mask and token_type_ids are known"
            )),
        }
    }

    fn tensor(self, texts: &[Vec<i64>], longest: usize) -> ort::Result<Tensor<i64>> {
        let mut values = vec![0; texts.len() * longest];
        for (row, text) in values.chunks_mut(longest).zip(texts) {
            match self {
                Self::Ids => row[..text.len()].copy_from_slice(text),
                Self::Mask => row[..text.len()].fill(1),
                // All tokens belong to the same segment.
                Self::Types => {}
            }
        }
        Tensor::from_array(([texts.len(), longest], values))
    }
}
