//! The classes of data that are redacted. Their names are part of placeholders and metrics.

/// A kind of credential or of personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A PEM or PGP private key.
    PrivateKey,
    /// A Reflect API key.
    ReflectKey,
    /// An AWS access key id.
    AwsKey,
    /// A GitHub token.
    GithubToken,
    /// A GitLab token.
    GitlabToken,
    /// A Slack token or webhook.
    SlackToken,
    /// A Stripe key.
    StripeKey,
    /// An OpenAI key, or a key of a service with the same format.
    OpenaiKey,
    /// An Anthropic key.
    AnthropicKey,
    /// A Google API key, OAuth token or client secret.
    GoogleKey,
    /// A token of a package or container registry.
    RegistryToken,
    /// A token of another service whose tokens have a known prefix.
    ServiceToken,
    /// A JSON Web Token.
    Jwt,
    /// The password inside a URL.
    UrlPassword,
    /// The credential after `Authorization: Bearer` or `Basic`.
    Authorization,
    /// A value whose field or variable name marks it as a secret.
    NamedSecret,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A payment card number.
    PaymentCard,
    /// A bank account number (IBAN).
    Iban,
    /// A national identity number that has a checksum.
    NationalId,
    /// An IP address.
    IpAddress,
}

impl Class {
    /// All classes, credentials first.
    pub const ALL: [Self; 22] = [
        Self::PrivateKey,
        Self::ReflectKey,
        Self::AwsKey,
        Self::GithubToken,
        Self::GitlabToken,
        Self::SlackToken,
        Self::StripeKey,
        Self::OpenaiKey,
        Self::AnthropicKey,
        Self::GoogleKey,
        Self::RegistryToken,
        Self::ServiceToken,
        Self::Jwt,
        Self::UrlPassword,
        Self::Authorization,
        Self::NamedSecret,
        Self::Email,
        Self::Phone,
        Self::PaymentCard,
        Self::Iban,
        Self::NationalId,
        Self::IpAddress,
    ];

    /// The name in placeholders and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PrivateKey => "private-key",
            Self::ReflectKey => "reflect-key",
            Self::AwsKey => "aws-key",
            Self::GithubToken => "github-token",
            Self::GitlabToken => "gitlab-token",
            Self::SlackToken => "slack-token",
            Self::StripeKey => "stripe-key",
            Self::OpenaiKey => "openai-key",
            Self::AnthropicKey => "anthropic-key",
            Self::GoogleKey => "google-key",
            Self::RegistryToken => "registry-token",
            Self::ServiceToken => "service-token",
            Self::Jwt => "jwt",
            Self::UrlPassword => "url-password",
            Self::Authorization => "authorization",
            Self::NamedSecret => "named-secret",
            Self::Email => "email",
            Self::Phone => "phone",
            Self::PaymentCard => "payment-card",
            Self::Iban => "iban",
            Self::NationalId => "national-id",
            Self::IpAddress => "ip-address",
        }
    }

    /// Whether this class is personal data. The others are credentials.
    pub const fn is_personal(self) -> bool {
        matches!(
            self,
            Self::Email | Self::Phone | Self::PaymentCard | Self::Iban | Self::NationalId | Self::IpAddress
        )
    }
}

impl std::fmt::Display for Class {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
