//! The port to a model that turns texts into vectors.

use std::sync::Arc;

use async_trait::async_trait;

use crate::ModelError;

/// What a text is embedded for: some models want to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedPurpose {
    /// A question that looks for neighbours.
    Query,
    /// A text that is to be found.
    Document,
}

/// Whose vectors they are. Vectors of two identities must never be compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmbedderIdentity {
    /// Who computes them: `local`, `openai`, the name of a provider.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// What tells two files of one name apart. Empty where the provider does not say.
    pub revision: String,
}

/// A vector of unit length whose numbers are all finite.
///
/// ```
/// use reflect_model::Embedding;
/// let vector = Embedding::new(vec![3.0, 4.0]).unwrap();
/// assert_eq!(vector.as_slice(), [0.6, 0.8]);
/// assert!(Embedding::new(vec![0.0, 0.0]).is_err());
/// assert!(Embedding::new(vec![f32::NAN, 1.0]).is_err());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding(Vec<f32>);

impl Embedding {
    /// Brings a vector to unit length. Refuses one that has no direction.
    pub fn new(mut values: Vec<f32>) -> Result<Self, ModelError> {
        if values.is_empty() {
            return Err(ModelError::unreadable("the embedder gave an empty vector"));
        }
        if values.iter().any(|value| !value.is_finite()) {
            return Err(ModelError::unreadable(
                "the embedder gave a vector with a value that is not a number",
            ));
        }
        // In double precision: squares of large values would overflow to infinity.
        let length = values.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt();
        if length < 1e-12 {
            return Err(ModelError::unreadable("the embedder gave a vector of length zero"));
        }
        for value in &mut values {
            *value = (f64::from(*value) / length) as f32;
        }
        Ok(Self(values))
    }

    /// How many numbers it has.
    pub fn dimensions(&self) -> usize {
        self.0.len()
    }

    /// The numbers.
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// Cosine of the angle to another vector of the same space.
    ///
    /// ```
    /// use reflect_model::Embedding;
    /// let east = Embedding::new(vec![1.0, 0.0]).unwrap();
    /// let north = Embedding::new(vec![0.0, 2.0]).unwrap();
    /// assert_eq!(east.similarity(&north), 0.0);
    /// ```
    pub fn similarity(&self, other: &Self) -> f32 {
        self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
    }
}

/// A model that turns texts into vectors.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Whose vectors they are.
    fn identity(&self) -> &EmbedderIdentity;

    /// One vector per text, in order. The number of dimensions is whatever comes back: nobody assumes it.
    async fn embed(&self, texts: &[String], purpose: EmbedPurpose) -> Result<Vec<Embedding>, ModelError>;
}

#[async_trait]
impl<E: Embedder + ?Sized> Embedder for Arc<E> {
    fn identity(&self) -> &EmbedderIdentity {
        (**self).identity()
    }

    async fn embed(&self, texts: &[String], purpose: EmbedPurpose) -> Result<Vec<Embedding>, ModelError> {
        (**self).embed(texts, purpose).await
    }
}
