//! Encrypts and decrypts the values of one project.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use reflect_types::ProjectId;
use uuid::Uuid;

use super::cipher::{Cipher, KEY_BYTES, SealError};
use crate::hex::{from_hex, to_hex};

/// The first bytes of encrypted bytes. 0xff is in no UTF-8 text and does not start a zstd frame.
pub(crate) const SEALED_BYTES: [u8; 4] = [0xff, b'R', b'S', 1];
/// The start of an encrypted text. The number of its characters and the encrypted bytes in hexadecimal follow.
pub(crate) const SEALED_TEXT: &str = "reflect-sealed-1:";
/// The start of a plain text that itself starts like an encrypted one.
const PLAIN_TEXT: &str = "reflect-sealed-0:";
/// What both have in common.
const RESERVED: &str = "reflect-sealed-";

/// A column with values that can be encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SealedColumn {
    TraceBody,
    ReviewFeedback,
    JudgementFeedback,
    SignalComment,
    OtlpPart,
    WebhookSecret,
}

impl SealedColumn {
    /// Part of the encryption: changing a name makes stored values unreadable.
    const fn name(self) -> &'static str {
        match self {
            Self::TraceBody => "trace_body.body",
            Self::ReviewFeedback => "review.feedback",
            Self::JudgementFeedback => "judgement.feedback",
            Self::SignalComment => "signal.comment",
            Self::OtlpPart => "otlp_part.content",
            Self::WebhookSecret => "webhook_endpoint.secret",
        }
    }

    /// The value in this column of one row.
    pub(crate) const fn of(self, row: Uuid) -> SealedPlace {
        SealedPlace { column: self, row }
    }
}

/// Where a value is stored. A value that was copied to another place cannot be decrypted there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SealedPlace {
    column: SealedColumn,
    row: Uuid,
}

/// Encrypts and decrypts the values of one project. Without a key it returns values as they are.
#[derive(Clone)]
pub(crate) struct Sealer {
    project: ProjectId,
    cipher: Option<Arc<Cipher>>,
}

/// Without the key.
impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealer").field("project", &self.project).finish_non_exhaustive()
    }
}

impl Sealer {
    /// Does not encrypt.
    pub(crate) const fn off(project: ProjectId) -> Self {
        Self { project, cipher: None }
    }

    pub(crate) fn new(project: ProjectId, data_key: &[u8; KEY_BYTES]) -> Result<Self, SealError> {
        Ok(Self { project, cipher: Some(Arc::new(Cipher::new(data_key)?)) })
    }

    fn context(&self, place: SealedPlace) -> String {
        format!("reflect:1:{}:{}:{}", self.project.number(), place.column.name(), place.row)
    }

    /// Bytes as they are stored. The input is a UTF-8 text or a zstd frame.
    pub(crate) fn seal_bytes<'a>(
        &self,
        place: SealedPlace,
        plain: &'a [u8],
    ) -> Result<Cow<'a, [u8]>, SealError> {
        match &self.cipher {
            None => Ok(Cow::Borrowed(plain)),
            Some(cipher) => cipher.seal(&self.context(place), &SEALED_BYTES, plain).map(Cow::Owned),
        }
    }

    /// The reverse of [`Sealer::seal_bytes`]. Returns plain bytes as they are.
    pub(crate) fn open_bytes<'a>(
        &self,
        place: SealedPlace,
        stored: &'a [u8],
    ) -> Result<Cow<'a, [u8]>, SealError> {
        let Some(sealed) = stored.strip_prefix(&SEALED_BYTES) else { return Ok(Cow::Borrowed(stored)) };
        let cipher = self.cipher.as_ref().ok_or(SealError::NoKey)?;
        cipher.open(&self.context(place), sealed).map(Cow::Owned)
    }

    /// A text as it is stored.
    pub(crate) fn seal_text<'a>(
        &self,
        place: SealedPlace,
        plain: &'a str,
    ) -> Result<Cow<'a, str>, SealError> {
        let Some(cipher) = &self.cipher else {
            let escaped = plain.starts_with(RESERVED).then(|| format!("{PLAIN_TEXT}{plain}"));
            return Ok(escaped.map_or(Cow::Borrowed(plain), Cow::Owned));
        };
        // Loop health counts short feedback.
        let length = plain.trim_matches(' ').chars().count();
        let sealed = cipher.seal(&format!("{}:{length}", self.context(place)), &[], plain.as_bytes())?;
        Ok(Cow::Owned(format!("{SEALED_TEXT}{length}:{}", to_hex(&sealed))))
    }

    /// The reverse of [`Sealer::seal_text`]. Returns plain texts as they are.
    pub(crate) fn open_text(&self, place: SealedPlace, stored: String) -> Result<String, SealError> {
        if let Some(plain) = stored.strip_prefix(PLAIN_TEXT) {
            return Ok(plain.to_owned());
        }
        let Some(sealed) = stored.strip_prefix(SEALED_TEXT) else { return Ok(stored) };
        let cipher = self.cipher.as_ref().ok_or(SealError::NoKey)?;
        let (length, sealed) = sealed.split_once(':').ok_or(SealError::Damaged)?;
        let sealed = from_hex(sealed).ok_or(SealError::Damaged)?;
        let plain = cipher.open(&format!("{}:{length}", self.context(place)), &sealed)?;
        String::from_utf8(plain).map_err(|_| SealError::Damaged)
    }

    /// Decrypts a text that may be absent.
    pub(crate) fn open_field(&self, place: SealedPlace, field: &mut Option<String>) -> Result<(), SealError> {
        if let Some(stored) = field.take() {
            *field = Some(self.open_text(place, stored)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: SealedPlace = SealedColumn::ReviewFeedback.of(Uuid::from_u128(5));
    const BODY: SealedPlace = SealedColumn::TraceBody.of(Uuid::from_u128(5));

    fn sealer() -> Sealer {
        Sealer::new(ProjectId::new(1), &[3; KEY_BYTES]).unwrap()
    }

    #[test]
    fn texts_and_bytes_come_back_and_are_not_readable_in_between() {
        for text in ["", "wrong total", "é\n\"quoted\"", "reflect-sealed-1:4:00", &"long ".repeat(2000)] {
            let stored = sealer().seal_text(PLACE, text).unwrap().into_owned();
            assert!(stored.starts_with(SEALED_TEXT), "{stored}");
            assert!(text.len() < 5 || !stored.contains(text), "{stored}");
            assert_eq!(sealer().open_text(PLACE, stored).as_deref(), Ok(text));
            let stored = sealer().seal_bytes(BODY, text.as_bytes()).unwrap();
            assert_eq!(stored.len(), text.len() + 4 + 12 + 16);
            assert_eq!(sealer().open_bytes(BODY, &stored).unwrap(), text.as_bytes());
        }
    }

    #[test]
    fn the_same_text_is_stored_differently_each_time() {
        let stored = || sealer().seal_text(PLACE, "the same").unwrap().into_owned();
        assert_ne!(stored(), stored());
    }

    #[test]
    fn plain_values_are_read_with_and_without_a_key() {
        for sealer in [sealer(), Sealer::off(ProjectId::new(1))] {
            assert_eq!(sealer.open_text(PLACE, "plain".to_owned()).as_deref(), Ok("plain"));
            assert_eq!(sealer.open_bytes(BODY, b"[1]").unwrap(), b"[1]".as_slice());
        }
    }

    #[test]
    fn a_plain_text_that_looks_encrypted_comes_back() {
        let off = Sealer::off(ProjectId::new(1));
        for text in ["reflect-sealed-1:4:00", "reflect-sealed-0:x", "reflect-sealed-"] {
            let stored = off.seal_text(PLACE, text).unwrap().into_owned();
            assert_eq!(off.open_text(PLACE, stored.clone()).as_deref(), Ok(text));
            assert_eq!(sealer().open_text(PLACE, stored).as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_value_opens_only_in_its_own_place_with_its_own_key() {
        let stored = sealer().seal_text(PLACE, "secret").unwrap().into_owned();
        let open = |sealer: &Sealer, place| sealer.open_text(place, stored.clone());
        let damaged = Err(SealError::Damaged);
        assert_eq!(open(&sealer(), SealedColumn::ReviewFeedback.of(Uuid::from_u128(6))), damaged);
        assert_eq!(open(&sealer(), SealedColumn::JudgementFeedback.of(Uuid::from_u128(5))), damaged);
        assert_eq!(open(&Sealer::new(ProjectId::new(2), &[3; KEY_BYTES]).unwrap(), PLACE), damaged);
        assert_eq!(open(&Sealer::new(ProjectId::new(1), &[4; KEY_BYTES]).unwrap(), PLACE), damaged);
        assert_eq!(open(&Sealer::off(ProjectId::new(1)), PLACE), Err(SealError::NoKey));
    }

    #[test]
    fn a_changed_value_is_refused() {
        let stored = sealer().seal_text(PLACE, "secret").unwrap().into_owned();
        let longer = stored.replacen(":6:", ":7:", 1);
        let cut = stored[..stored.len() - 2].to_owned();
        for changed in [longer, cut, format!("{SEALED_TEXT}6:"), SEALED_TEXT.to_owned()] {
            assert_eq!(sealer().open_text(PLACE, changed), Err(SealError::Damaged));
        }
        let mut bytes = sealer().seal_bytes(BODY, b"[]").unwrap().into_owned();
        *bytes.last_mut().unwrap() ^= 1;
        assert_eq!(sealer().open_bytes(BODY, &bytes), Err(SealError::Damaged));
    }
}
