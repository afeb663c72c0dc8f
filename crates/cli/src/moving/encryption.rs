//! Encryption of packs with age: for the recipients of an export, with the identities of an import. Every file of a pack is
//! an age file of its own, which the program `age` can read.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use age::x25519::{Identity, Recipient};
use age::{Decryptor, Encryptor};
use anyhow::Context;

use crate::failure::{Failure, Kind};

/// The suffix of encrypted files.
pub(super) const ENCRYPTED: &str = ".age";

/// Who can read a pack. Empty for a pack that is not encrypted.
#[derive(Debug, Default)]
pub(crate) struct Recipients(Vec<Recipient>);

/// The secret keys for an encrypted pack.
#[derive(Default)]
pub(crate) struct Identities(Vec<Identity>);

impl Recipients {
    /// Parses public keys (`age1…`), or files with one per line.
    pub(crate) fn read(arguments: &[String]) -> anyhow::Result<Self> {
        let mut recipients = Vec::new();
        for argument in arguments {
            match argument.starts_with("age1") {
                true => recipients.push(recipient(argument)?),
                false => recipients.extend(keys(Path::new(argument), recipient)?),
            }
        }
        Ok(Self(recipients))
    }

    /// Their public keys, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.0.iter().map(Recipient::to_string).collect();
        names.sort_unstable();
        names
    }

    /// The suffix of file names.
    pub(super) fn suffix(&self) -> &'static str {
        if self.is_empty() { "" } else { ENCRYPTED }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes for these recipients, or unchanged without recipients.
    pub(super) fn seal(&self, bytes: Vec<u8>) -> anyhow::Result<Vec<u8>> {
        if self.is_empty() {
            return Ok(bytes);
        }
        let encryptor = Encryptor::with_recipients(self.0.iter().map(|one| one as &dyn age::Recipient))?;
        let mut writer = encryptor.wrap_output(Vec::with_capacity(bytes.len() + 512))?;
        writer.write_all(&bytes)?;
        Ok(writer.finish()?)
    }
}

impl Identities {
    /// Reads files as `age-keygen` writes them.
    pub(crate) fn read(files: &[PathBuf]) -> anyhow::Result<Self> {
        let mut identities = Vec::new();
        for file in files {
            identities.extend(keys(file, identity)?);
        }
        Ok(Self(identities))
    }

    /// The decrypted bytes.
    pub(super) fn open(&self, bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
        if self.0.is_empty() {
            let failure = Failure::new(Kind::Local, "encrypted", "the pack is encrypted");
            return Err(failure.fix("add --identity with the file of the secret key").into());
        }
        let identities = self.0.iter().map(|one| one as &dyn age::Identity);
        let mut reader = Decryptor::new_buffered(bytes)?.decrypt(identities)?;
        let mut plain = Vec::new();
        reader.read_to_end(&mut plain)?;
        Ok(plain)
    }
}

/// The keys of a file, one per line. Empty lines and lines that begin with `#` are skipped.
fn keys<T>(file: &Path, parse: fn(&str) -> anyhow::Result<T>) -> anyhow::Result<Vec<T>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let keys: Vec<T> =
        lines.map(parse).collect::<Result<_, _>>().with_context(|| file.display().to_string())?;
    anyhow::ensure!(!keys.is_empty(), "{} contains no key", file.display());
    Ok(keys)
}

fn recipient(text: &str) -> anyhow::Result<Recipient> {
    text.parse().map_err(|problem| anyhow::anyhow!("{text} is not a public key of age: {problem}"))
}

/// Does not repeat the text: it may be a secret.
fn identity(text: &str) -> anyhow::Result<Identity> {
    text.parse().map_err(|problem| anyhow::anyhow!("a line is not a secret key of age: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_recipient_reads_what_is_sealed() {
        let (mine, other) = (Identity::generate(), Identity::generate());
        let recipients = Recipients::read(&[mine.to_public().to_string()]).unwrap();
        let sealed = recipients.seal(b"secret".to_vec()).unwrap();
        assert!(sealed.starts_with(b"age-encryption.org/v1") && !sealed.ends_with(b"secret"));
        assert_eq!(Identities(vec![other, mine]).open(&sealed).unwrap(), b"secret");
        assert!(Identities(vec![Identity::generate()]).open(&sealed).is_err());
        assert!(Identities::default().open(&sealed).unwrap_err().to_string().contains("encrypted"));
        assert_eq!(Recipients::default().seal(b"plain".to_vec()).unwrap(), b"plain");
    }

    #[test]
    fn a_wrong_secret_key_is_not_repeated() {
        let problem = identity("AGE-SECRET-KEY-1WRONG").err().unwrap().to_string();
        assert!(!problem.contains("WRONG"), "{problem}");
    }
}
