//! Checksums that distinguish card, account and identity numbers from other numbers.

/// The digits of a text. Other characters are skipped.
pub(crate) fn digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|c| c.to_digit(10)).collect()
}

/// Payment cards: Luhn.
pub(crate) fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match place % 2 {
            0 => *digit,
            _ => digit * 2 / 10 + digit * 2 % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Bank accounts: ISO 7064 mod 97, with the first four characters moved to the end.
pub(crate) fn mod_97(account: &str) -> bool {
    let moved = account.chars().skip(4).chain(account.chars().take(4));
    let rest = moved.filter_map(|c| c.to_digit(36)).fold(0, |rest, digit| match digit {
        0..10 => (rest * 10 + digit) % 97,
        _ => (rest * 100 + digit) % 97,
    });
    rest == 1
}

/// Brazil, CPF: two check digits, computed from the nine digits before them.
pub(crate) fn cpf(text: &str) -> bool {
    let digits = digits(text);
    if digits.len() != 11 || digits.iter().all(|digit| *digit == digits[0]) {
        return false;
    }
    let check = |count: usize| {
        let sum: u32 =
            digits[..count].iter().zip((2..=count as u32 + 1).rev()).map(|(d, weight)| d * weight).sum();
        sum * 10 % 11 % 10 == digits[count]
    };
    check(9) && check(10)
}

/// Spain, DNI and NIE: the check letter is the number modulo 23.
pub(crate) fn dni(text: &str) -> bool {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let text: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let (number, letter) = text.split_at(text.len().saturating_sub(1));
    let number = match number.chars().next() {
        Some('X') => format!("0{}", &number[1..]),
        Some('Y') => format!("1{}", &number[1..]),
        Some('Z') => format!("2{}", &number[1..]),
        _ => number.to_owned(),
    };
    let Ok(number) = number.parse::<usize>() else { return false };
    letter.as_bytes().first() == Some(&LETTERS[number % 23])
}

/// France, NIR: modulo 97, with the letters of Corsican departments as numbers.
pub(crate) fn nir(text: &str) -> bool {
    let text: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    if text.len() != 15 || !text.is_ascii() {
        return false;
    }
    let (number, key) = text.split_at(13);
    let number = number.replace("2A", "19").replace("2B", "18");
    match (number.parse::<u64>(), key.parse::<u64>()) {
        (Ok(number), Ok(key)) => 97 - number % 97 == key,
        _ => false,
    }
}

/// Poland, PESEL: weighted sum, and a valid date of birth.
pub(crate) fn pesel(text: &str) -> bool {
    let digits = digits(text);
    if digits.len() != 11 {
        return false;
    }
    let weights = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3];
    let sum: u32 = digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum();
    let (month, day) = ((digits[2] * 10 + digits[3]) % 20, digits[4] * 10 + digits[5]);
    (10 - sum % 10) % 10 == digits[10] && (1..=12).contains(&month) && (1..=31).contains(&day)
}

/// Italy, codice fiscale: a check letter, computed from the fifteen characters before it.
pub(crate) fn codice_fiscale(text: &str) -> bool {
    // The value of a character at an odd position (first, third, fifth …).
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let bytes = text.as_bytes();
    if bytes.len() != 16 {
        return false;
    }
    let value = |byte: u8| {
        u32::from(if byte.is_ascii_digit() { byte - b'0' } else { byte.to_ascii_uppercase() - b'A' })
    };
    let sum: u32 = bytes[..15]
        .iter()
        .enumerate()
        .map(|(place, byte)| match place % 2 {
            0 => ODD.get(value(*byte) as usize).copied().unwrap_or(0),
            _ => value(*byte),
        })
        .sum();
    sum % 26 == value(bytes[15])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_numbers_pass_and_adjacent_numbers_fail() {
        assert!(luhn(&digits("4111 1111 1111 1111")) && !luhn(&digits("4111 1111 1111 1112")));
        assert!(mod_97("DE89370400440532013000") && !mod_97("DE89370400440532013001"));
        assert!(cpf("529.982.247-25") && !cpf("529.982.247-26") && !cpf("111.111.111-11"));
        assert!(dni("12345678Z") && dni("X1234567L") && !dni("12345678A"));
        assert!(nir("2 55 08 14 168 025 38") && !nir("2 55 08 14 168 025 39"));
        assert!(pesel("44051401359") && !pesel("44051401358") && !pesel("44991401359"));
        assert!(codice_fiscale("RSSMRA85T10A562S") && !codice_fiscale("RSSMRA85T10A562T"));
    }
}
