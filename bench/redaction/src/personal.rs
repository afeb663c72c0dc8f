//! Invented personal data with valid checksums.

use reflect_redaction::Class;

use crate::draw::{Draw, HEX, LOWER, text};

pub(crate) fn value(class: Class, draw: &mut Draw) -> (String, String) {
    let value = match class {
        Class::Email => email(draw),
        Class::Phone => phone(draw),
        Class::PaymentCard => card(draw),
        Class::Iban => iban(draw),
        Class::NationalId => national_id(draw),
        _ => address(draw),
    };
    (value.clone(), value)
}

fn email(draw: &mut Draw) -> String {
    let name =
        draw.one(&["ann", "bob.smith", "carla_97", "d.evans+news", "o-neil", "李"]).replace('李', "li");
    let domain = draw.one(&[
        "example.org",
        "mail.example.co.uk",
        "firma-beispiel.de",
        "correo.example.com.br",
        "sub.a.io",
    ]);
    format!("{name}{}@{domain}", draw.below(100))
}

fn phone(draw: &mut Draw) -> String {
    let mut group = |count| text(&draw.digits(count));
    let (two, three, four, last) = (group(2), group(3), group(4), group(4));
    match draw.below(6) {
        0 => format!("+49 30 {four}{two}"),
        1 => format!("+1415{three}{four}"),
        2 => format!("+44 20 {four} {last}"),
        3 => format!("(415) 5{two}-{four}"),
        4 => format!("+33 6 {two} {two} {two} {two}"),
        _ => format!("212-5{two}-{four}"),
    }
}

fn luhn_digit(digits: &[u32]) -> u32 {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, d)| if i % 2 == 0 { d * 2 / 10 + d * 2 % 10 } else { *d })
        .sum();
    (10 - sum % 10) % 10
}

fn card(draw: &mut Draw) -> String {
    let (first, length) =
        [(vec![4], 16), (vec![5, 3], 16), (vec![3, 7], 15), (vec![6, 0, 1, 1], 16)][draw.below(4)].clone();
    let mut digits = [first.clone(), draw.digits(length - 1 - first.len())].concat();
    digits.push(luhn_digit(&digits));
    let number = text(&digits);
    match (length, draw.below(3)) {
        (16, 0) => format!("{} {} {} {}", &number[..4], &number[4..8], &number[8..12], &number[12..]),
        (16, 1) => format!("{}-{}-{}-{}", &number[..4], &number[4..8], &number[8..12], &number[12..]),
        (15, 0) => format!("{} {} {}", &number[..4], &number[4..10], &number[10..]),
        _ => number,
    }
}

fn iban(draw: &mut Draw) -> String {
    let (country, account) = match draw.below(3) {
        0 => ("DE", text(&draw.digits(18))),
        1 => ("GB", format!("NWBK{}", text(&draw.digits(14)))),
        _ => ("FR", text(&draw.digits(23))),
    };
    let value = |c: char| c.to_digit(36).unwrap_or_default();
    let rest = format!("{account}{country}00").chars().fold(0_u64, |rest, c| {
        let digit = u64::from(value(c));
        if digit < 10 { (rest * 10 + digit) % 97 } else { (rest * 100 + digit) % 97 }
    });
    let iban = format!("{country}{:02}{account}", 98 - rest);
    if draw.below(2) == 0 {
        return iban;
    }
    iban.as_bytes().chunks(4).map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ")
}

fn national_id(draw: &mut Draw) -> String {
    match draw.below(3) {
        0 => {
            let number = draw.below(100_000_000);
            let letter = b"TRWAGMYFPDXBNJZSQVHLCKE"[number % 23];
            format!("{number:08}{}", char::from(letter))
        }
        1 => {
            let mut digits = draw.digits(9);
            for count in [9_usize, 10] {
                let sum: u32 =
                    digits.iter().zip((2..=count as u32 + 1).rev()).map(|(d, weight)| d * weight).sum();
                digits.push(sum * 10 % 11 % 10);
            }
            let number = text(&digits);
            format!("{}.{}.{}-{}", &number[..3], &number[3..6], &number[6..9], &number[9..])
        }
        _ => {
            let number = format!(
                "{}{:02}{:02}75{}{}",
                draw.within(1, 2),
                draw.below(100),
                draw.within(1, 12),
                text(&draw.digits(3)),
                text(&draw.digits(3))
            );
            let key = 97 - number.parse::<u64>().unwrap_or_default() % 97;
            format!("{number}{key:02}")
        }
    }
}

fn address(draw: &mut Draw) -> String {
    match draw.below(2) {
        0 => {
            format!("{}.{}.{}.{}", draw.within(1, 223), draw.below(256), draw.below(256), draw.within(1, 254))
        }
        _ => format!(
            "2001:db8:{}::{}:1{}",
            draw.of(HEX, 4).replace('0', "a"),
            draw.of("123456789abcdef", 3),
            draw.of(LOWER, 0)
        ),
    }
}
