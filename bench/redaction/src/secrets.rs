//! Credentials in the formats that their issuers publish, and typical passwords.

use reflect_redaction::Class;

use crate::draw::{ALNUM, BASE64, DIGITS, Draw, HEX, LOWER, UPPER, URLSAFE};

/// The value, and its text.
pub(crate) fn value(class: Class, draw: &mut Draw) -> (String, String) {
    let same = |value: String| (value.clone(), value);
    match class {
        Class::PrivateKey => private_key(draw),
        Class::ReflectKey => {
            same(format!("rf_{}_{}_{}", draw.one(&["live", "test"]), draw.of(ALNUM, 8), draw.of(ALNUM, 49)))
        }
        Class::AwsKey => same(format!(
            "{}{}",
            draw.one(&["AKIA", "ASIA"]),
            draw.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)
        )),
        Class::GithubToken => same(match draw.below(2) {
            0 => format!("gh{}_{}", draw.one(&["p", "o", "u", "s", "r"]), draw.of(ALNUM, 36)),
            _ => format!("github_pat_{}_{}", draw.of(ALNUM, 22), draw.of(ALNUM, 59)),
        }),
        Class::GitlabToken => same(format!("glpat-{}", draw.of(URLSAFE, 20))),
        Class::SlackToken => same(match draw.below(2) {
            0 => format!("xoxb-{}-{}-{}", draw.of(DIGITS, 12), draw.of(DIGITS, 13), draw.of(ALNUM, 24)),
            _ => format!(
                "hooks.slack.com/services/T{}/B{}/{}",
                draw.of(UPPER, 9),
                draw.of(UPPER, 10),
                draw.of(ALNUM, 24)
            ),
        }),
        Class::StripeKey => same(format!(
            "{}_{}_{}",
            draw.one(&["sk", "rk"]),
            draw.one(&["live", "test"]),
            draw.of(ALNUM, 24)
        )),
        Class::OpenaiKey => same(match draw.below(3) {
            0 => format!("sk-proj-{}", draw.of(URLSAFE, 120)),
            1 => format!("sk-{}T3BlbkFJ{}", draw.of(ALNUM, 20), draw.of(ALNUM, 20)),
            _ => format!("sk-{}", draw.of(ALNUM, 48)),
        }),
        Class::AnthropicKey => same(format!("sk-ant-api03-{}AA", draw.of(URLSAFE, 93))),
        Class::GoogleKey => same(format!("AIza{}", draw.of(ALNUM, 35))),
        Class::RegistryToken => same(match draw.below(3) {
            0 => format!("npm_{}", draw.of(ALNUM, 36)),
            1 => format!("pypi-AgEIcHlwaS5vcmc{}", draw.of(URLSAFE, 150)),
            _ => format!("dckr_pat_{}", draw.of(ALNUM, 27)),
        }),
        Class::ServiceToken => same(match draw.below(5) {
            0 => format!("hf_{}", draw.of(&format!("{UPPER}{LOWER}"), 34)),
            1 => format!("SG.{}.{}", draw.of(ALNUM, 22), draw.of(ALNUM, 43)),
            2 => format!("{}:AA{}", draw.of("123456789", 10), draw.of(ALNUM, 33)),
            3 => format!("dop_v1_{}", draw.of(HEX, 64)),
            _ => format!("hvs.{}", draw.of(ALNUM, 90)),
        }),
        Class::Jwt => {
            same(format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi{}.{}", draw.of(ALNUM, 40), draw.of(URLSAFE, 43)))
        }
        Class::UrlPassword => {
            let password = password(draw);
            let scheme = draw.one(&["postgres", "mysql", "redis", "amqp", "mongodb+srv", "https"]);
            let said = format!(
                "{scheme}://{}:{password}@{}.internal:5432/app",
                draw.of(LOWER, 6),
                draw.of(LOWER, 8)
            );
            (password, said)
        }
        Class::Authorization => {
            let (scheme, value) = match draw.below(2) {
                0 => ("Bearer", draw.of(ALNUM, 40)),
                _ => ("Basic", format!("{}==", draw.of(BASE64, 22))),
            };
            let said = format!("Authorization: {scheme} {value}");
            (value, said)
        }
        _ => named(draw),
    }
}

/// A typical password: a word with additions.
fn password(draw: &mut Draw) -> String {
    let word = draw.one(&["Winter", "dragon", "Berlin", "monkey", "Correct", "hunter", "summer", "Tiger"]);
    format!("{word}{}{}{}", draw.of(DIGITS, 2), draw.of("!%^*-_", 1), draw.of(LOWER, 3))
}

fn named(draw: &mut Draw) -> (String, String) {
    let (name, value) = match draw.below(4) {
        0 => {
            (draw.one(&["password", "DB_PASSWORD", "passwd", "adminPassword", "db.password"]), password(draw))
        }
        1 => (draw.one(&["api_key", "API_KEY", "apiKey", "x-api-key"]), draw.of(HEX, 32)),
        2 => (
            draw.one(&["client_secret", "SECRET_KEY", "clientSecret", "AWS_SECRET_ACCESS_KEY"]),
            draw.of(BASE64, 40),
        ),
        _ => (draw.one(&["token", "ACCESS_TOKEN", "refreshToken", "auth_token"]), draw.of(ALNUM, 36)),
    };
    let said = match draw.below(3) {
        0 => format!("{name}={value}"),
        1 => format!("{name}: {value}"),
        _ => format!("{name} = '{value}'"),
    };
    (value, said)
}

fn private_key(draw: &mut Draw) -> (String, String) {
    let kind = draw.one(&["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "]);
    let lines: Vec<String> = (0..draw.within(3, 12)).map(|_| draw.of(BASE64, 64)).collect();
    let said =
        format!("-----BEGIN {kind}PRIVATE KEY-----\n{}\n-----END {kind}PRIVATE KEY-----", lines.join("\n"));
    // If one line stays, the key is not redacted.
    (lines[lines.len() / 2].clone(), said)
}
