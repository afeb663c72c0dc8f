//! Credentials with a known format: their patterns and anchors.
//!
//! An anchor is a text that every match contains, in any case. One pass searches for all anchors, and a pattern only
//! runs if one of its anchors was found.

use crate::Class;

/// The format of one credential.
pub(crate) struct Form {
    pub(crate) class: Class,
    pub(crate) anchors: &'static [&'static str],
    /// Matches the secret. A word boundary precedes it. Repetitions are bounded or cannot overlap, so a search takes
    /// linear time.
    pub(crate) pattern: &'static str,
}

const fn form(class: Class, anchors: &'static [&'static str], pattern: &'static str) -> Form {
    Form { class, anchors, pattern }
}

/// Ends the pattern at a word boundary.
macro_rules! ends {
    ($pattern:literal) => {
        concat!($pattern, r"\b{end-half}")
    };
}

pub(crate) const FORMS: &[Form] = &[
    form(
        Class::ReflectKey,
        &["rf_live_", "rf_test_"],
        ends!("rf_(?:live|test)_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}"),
    ),
    form(Class::AwsKey, &["akia", "asia", "abia", "acca"], ends!("(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}")),
    form(
        Class::GithubToken,
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        ends!("(?:gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{60,120})"),
    ),
    form(
        Class::GitlabToken,
        &["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-"],
        "(?:glpat|gldt|glrt|glptt|glcbt)-[A-Za-z0-9_.-]{20,100}",
    ),
    form(
        Class::SlackToken,
        &["xoxb-", "xoxa-", "xoxp-", "xoxr-", "xoxs-", "xoxe", "xapp-", "hooks.slack.com/"],
        "(?:xox[abprse](?:\\.xox[bp])?-[A-Za-z0-9-]{10,250}|xapp-[0-9]-[A-Za-z0-9-]{20,200}\
         |hooks\\.slack\\.com/(?:services|workflows)/[A-Za-z0-9/]{20,120})",
    ),
    form(
        Class::StripeKey,
        &["_live_", "_test_", "whsec_"],
        ends!("(?:[srp]k_(?:live|test)_[A-Za-z0-9]{16,200}|whsec_[A-Za-z0-9+/]{24,80}={0,2})"),
    ),
    form(Class::AnthropicKey, &["sk-ant-"], "sk-ant-[a-z]{2,8}[0-9]{2}-[A-Za-z0-9_-]{24,200}"),
    form(
        Class::OpenaiKey,
        &["sk-", "sess-"],
        "(?:sk-(?:proj|svcacct|admin|service|None)-[A-Za-z0-9_-]{20,250}|sk-or-v1-[0-9a-f]{64}|sess-[A-Za-z0-9]{40}\
         |sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|sk-[A-Za-z0-9]{32,64}\\b{end-half})",
    ),
    form(
        Class::GoogleKey,
        &["aiza", "ya29.", "gocspx-", "1//0"],
        ends!(
            "(?:AIza[0-9A-Za-z_-]{35}|ya29\\.[0-9A-Za-z_-]{30,400}|GOCSPX-[0-9A-Za-z_-]{28}|1//0[0-9A-Za-z_-]{40,200})"
        ),
    ),
    form(
        Class::RegistryToken,
        &["npm_", "pypi-", "cio", "rubygems_", "dckr_pat_", "dckr_oat_"],
        "(?:npm_[A-Za-z0-9]{36}\\b{end-half}|pypi-AgE[A-Za-z0-9_-]{50,250}|cio[A-Za-z0-9]{32}\\b{end-half}\
         |rubygems_[0-9a-f]{48}|dckr_[po]at_[A-Za-z0-9_-]{27,64})",
    ),
    form(
        Class::ServiceToken,
        &[
            "hf_",
            "r8_",
            "gsk_",
            "xai-",
            "pplx-",
            "nvapi-",
            "sg.",
            "key-",
            "-us",
            "sk",
            ":aa",
            "shpat_",
            "shpss_",
            "shpca_",
            "shppa_",
            "dop_v1_",
            "doo_v1_",
            "dor_v1_",
            "dapi",
            "hrku-",
            "lin_api_",
            "ntn_",
            "atatt3",
            "figd_",
            "glsa_",
            "glc_",
            "hvs.",
            "dp.pt.",
            "dp.st.",
            "pul-",
            ".atlasv1.",
            "sbp_",
            "pscale_",
            "pmak-",
            "nrak-",
            "sntry",
            "age-secret-key-1",
            "sq0",
            "tskey-",
            "q~",
            "discord.com/api/webhooks/",
            "discordapp.com/api/webhooks/",
            "xkeysib-",
            "phx_",
            "pat-na",
        ],
        SERVICES,
    ),
    // Dots separate the parts, so a failed search reads each part once.
    form(
        Class::Jwt,
        &["eyj"],
        "eyJ[A-Za-z0-9_-]{8,}\\.(?:eyJ[A-Za-z0-9_-]{4,}|[A-Za-z0-9_-]{16,})(?:\\.[A-Za-z0-9_-]*){1,3}",
    ),
];

const SERVICES: &str = "(?:hf_[A-Za-z]{34}\\b{end-half}|r8_[A-Za-z0-9]{37}\\b{end-half}|gsk_[A-Za-z0-9]{52}\\b{end-half}\
|xai-[A-Za-z0-9]{80}|pplx-[A-Za-z0-9]{48}|nvapi-[A-Za-z0-9_-]{60,80}\
|SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}|key-[0-9a-f]{32}\\b{end-half}|[0-9a-f]{32}-us[0-9]{1,2}\\b{end-half}\
|SK[0-9a-f]{32}\\b{end-half}|[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\\b{end-half}|shp(?:at|ss|ca|pa)_[0-9a-f]{32}\
|do[opr]_v1_[0-9a-f]{64}|dapi[0-9a-f]{32}(?:-[0-9])?\\b{end-half}|HRKU-[A-Za-z0-9_-]{36,64}|lin_api_[A-Za-z0-9]{40}\
|ntn_[A-Za-z0-9]{43,50}|ATATT3[A-Za-z0-9_=-]{60,250}|figd_[A-Za-z0-9_-]{40}|glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}\
|glc_[A-Za-z0-9+/=]{40,400}|hvs\\.[A-Za-z0-9_-]{24,200}|dp\\.[ps]t\\.[A-Za-z0-9]{40,44}|pul-[0-9a-f]{40}\
|[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,80}|sbp_[0-9a-f]{40}|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,64}\
|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|NRAK-[A-Z0-9]{27}|sntry[su]_[A-Za-z0-9+/=_]{40,250}\
|AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}|sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}\
|tskey-[a-z]{3,8}-[A-Za-z0-9]{8,20}-[A-Za-z0-9]{20,40}|[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}\
|discord(?:app)?\\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,80}|xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}\
|phx_[A-Za-z0-9]{40,50}|pat-na1-[0-9a-f-]{36})";
