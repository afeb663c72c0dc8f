//! The port to a model that turns texts into vectors.

use std::sync::Arc;

use async_trait::async_trait;

use crate::ModelError;

/// The purpose of an embedding. Some models embed queries and documents differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedPurpose {
    /// A query: it searches for similar texts.
    Query,
    /// A document: queries find it.
    Document,
}

/// The model that computed vectors. Vectors of different identities must never be compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmbedderIdentity {
    /// The provider: `local`, `openai` or another name.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// Distinguishes two files with the same model name. Empty if the provider does not report it.
    pub revision: String,
}

/// A vector of unit length with finite values.
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
    /// Normalises a vector to unit length. Fails if the vector is zero.
    pub fn new(mut values: Vec<f32>) -> Result<Self, ModelError> {
        if values.is_empty() {
            return Err(ModelError::unreadable("the embedder gave an empty vector"));
        }
        if values.iter().any(|value| !value.is_finite()) {
            return Err(ModelError::unreadable(
                "the embedder gave a vector with a value that is not a number",
            ));
        }
        // Computed in double precision, because squares of large values would overflow.
        let length = values.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt();
        if length < 1e-12 {
            return Err(ModelError::unreadable("the embedder gave a vector of length zero"));
        }
        for value in &mut values {
            *value = (f64::from(*value) / length) as f32;
        }
        Ok(Self(values))
    }

    /// The number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.0.len()
    }

    /// The values.
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// Cosine similarity to another vector of the same space.
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
    /// The identity of the vectors.
    fn identity(&self) -> &EmbedderIdentity;

    /// One vector per text, in order. The response defines the number of dimensions.
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
