//! What is looked for, by name. The names stand in placeholders and in metrics.

/// A kind of credential or of personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A PEM or PGP private key.
    PrivateKey,
    /// A key of Reflect's own.
    ReflectKey,
    /// An access key id of AWS.
    AwsKey,
    /// A token of GitHub.
    GithubToken,
    /// A token of GitLab.
    GitlabToken,
    /// A token or webhook of Slack.
    SlackToken,
    /// A key of Stripe.
    StripeKey,
    /// A key of OpenAI, or of a service that writes them alike.
    OpenaiKey,
    /// A key of Anthropic.
    AnthropicKey,
    /// An API key, an OAuth token or a client secret of Google.
    GoogleKey,
    /// A token of a registry of packages or images.
    RegistryToken,
    /// A token of another service that marks its tokens.
    ServiceToken,
    /// A JSON Web Token.
    Jwt,
    /// The password inside a URL.
    UrlPassword,
    /// What follows `Authorization: Bearer` or `Basic`.
    Authorization,
    /// A value whose name says that it is secret.
    NamedSecret,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// The number of a payment card.
    PaymentCard,
    /// A bank account.
    Iban,
    /// A number that a state gives a person, where it has a checksum.
    NationalId,
    /// An address of the internet protocol.
    IpAddress,
}

impl Class {
    /// All of them, credentials first.
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

    /// Its name.
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

    /// Whether it is personal data; a credential otherwise.
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
