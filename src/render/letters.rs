//! A small alphabet for pictures: the letters of ASCII, five dots wide and nine high, of which the
//! last two hang below the foot; a letter is a number of 45 bits, row after row from the top. Letters
//! of other Latin alphabets are made of these and accents, for which two rows lie above.

/// Dots of a row.
pub const WIDTH: u32 = 5;

/// Rows above the foot, those of accents among them.
pub const FOOT: i64 = 9;

/// Rows of accents above capitals.
const ABOVE: usize = 2;

const ROWS: usize = 9;

/// The rows of a letter; its dots are the lowest [`WIDTH`] bits, the leftmost the highest. A box
/// where the alphabet lacks it.
pub fn rows(letter: char) -> [u64; ABOVE + ROWS] {
    let mut rows = [0; ABOVE + ROWS];
    let accent = ACCENTS.iter().find_map(|accent| Some((accent, accent.base_of(letter)?)));
    let plain = accent.map_or(letter, |(_, base)| base);
    rows[ABOVE..].copy_from_slice(&plain_rows(plain));
    if let Some((accent, base)) = accent {
        // Small letters leave the first two of their rows free.
        let at = match (accent.below, base.is_uppercase()) {
            (true, _) => ABOVE + ROWS - 2,
            (false, true) => 0,
            (false, false) => ABOVE,
        };
        for (row, bits) in rows[at..].iter_mut().zip(accent.rows) {
            *row |= bits;
        }
    }
    rows
}

fn plain_rows(letter: char) -> [u64; ROWS] {
    // So few dots do not tell these apart.
    let letter = match letter {
        '—' => '-',
        '’' => '\'',
        other => other,
    };
    if let Some((_, rows)) = SIGNS.iter().find(|(sign, _)| *sign == letter) {
        return std::array::from_fn(|row| u64::from(rows.get(row).copied().unwrap_or(0)));
    }
    let number = (letter as usize).checked_sub(' ' as usize);
    let bits = number.and_then(|n| LETTERS.get(n)).copied().unwrap_or(BOX);
    std::array::from_fn(|row| bits >> (5 * (ROWS - 1 - row)) & 31)
}

/// A sign above or below letters.
struct Accent {
    rows: [u64; 2],
    below: bool,
    /// A letter with the accent, then the one without, and so on.
    letters: &'static str,
}

impl Accent {
    fn base_of(&self, letter: char) -> Option<char> {
        let mut letters = self.letters.chars();
        while let (Some(with), Some(without)) = (letters.next(), letters.next()) {
            if with == letter {
                return Some(without);
            }
        }
        None
    }
}

const fn above(rows: [u64; 2], letters: &'static str) -> Accent {
    Accent { rows, below: false, letters }
}

const ACCENTS: [Accent; 13] = [
    above([0b00010, 0b00100], "áaéeíıóoúuýyćcńnśsźzŕrÁAÉEÍIÓOÚUÝYĆCŃNŚSŹZ"),
    above([0b01000, 0b00100], "àaèeìıòoùuÀAÈEÌIÒOÙU"),
    above([0b00100, 0b01010], "âaêeîıôoûuŵwŷyÂAÊEÎIÔOÛU"),
    above([0b01010, 0b00000], "äaëeïıöoüuÿyÄAËEÏIÖOÜU"),
    above([0b01101, 0b10010], "ãañnõoÃAÑNÕO"),
    above([0b01100, 0b01100], "åaůuÅAŮU"),
    above([0b01010, 0b00100], "čcěeňnřršsžzČCĚEŇNŘRŠSŽZ"),
    above([0b01110, 0b00000], "āaēeīıōoūuĀAĒEĪIŌOŪU"),
    above([0b10001, 0b01110], "ăağgŭuĂAĞG"),
    above([0b00100, 0b00000], "ėeżzİIŻZ"),
    above([0b01001, 0b10010], "őoűuŐOŰU"),
    Accent { rows: [0b00100, 0b01100], below: true, letters: "çcşsţtÇCŞSŢT" },
    Accent { rows: [0b00010, 0b00011], below: true, letters: "ąaęeįiųuĄAĘE" },
];

/// Other letters and signs, the lowest rows left out where they are empty.
#[rustfmt::skip]
const SIGNS: &[(char, &[u8])] = &[
    ('ı', &[0, 0, 0b01100, 0b00100, 0b00100, 0b00100, 0b01110]),
    ('þ', &[0b10000, 0b10000, 0b11110, 0b10001, 0b10001, 0b10001, 0b11110, 0b10000, 0b10000]),
    ('Þ', &[0b10000, 0b11110, 0b10001, 0b10001, 0b11110, 0b10000, 0b10000]),
    ('ð', &[0b01010, 0b00100, 0b01010, 0b01111, 0b10001, 0b10001, 0b01110]),
    ('Ð', &[0b11110, 0b01001, 0b01001, 0b11101, 0b01001, 0b01001, 0b11110]),
    ('æ', &[0, 0, 0b11010, 0b00101, 0b01111, 0b10100, 0b01011]),
    ('Æ', &[0b01111, 0b10100, 0b10100, 0b11110, 0b10100, 0b10100, 0b10111]),
    ('œ', &[0, 0, 0b01010, 0b10101, 0b10111, 0b10100, 0b01011]),
    ('ø', &[0, 0, 0b01111, 0b10011, 0b10101, 0b11001, 0b11110]),
    ('Ø', &[0b01111, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b11110]),
    ('ß', &[0b01100, 0b10010, 0b10010, 0b10100, 0b10010, 0b10010, 0b10100]),
    ('đ', &[0b00010, 0b00111, 0b00010, 0b01110, 0b10010, 0b10010, 0b01110]),
    ('ł', &[0b01100, 0b00100, 0b00110, 0b00100, 0b01100, 0b00100, 0b01110]),
    ('Ł', &[0b10000, 0b10000, 0b10100, 0b11000, 0b10000, 0b10000, 0b11111]),
    ('¿', &[0b00100, 0, 0b00100, 0b01000, 0b10000, 0b10001, 0b01110]),
    ('¡', &[0b00100, 0, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100]),
    ('✓', &[0, 0b00001, 0b00001, 0b00010, 0b10010, 0b10100, 0b01000]),
    ('✗', &[0, 0b10001, 0b01010, 0b00100, 0b01010, 0b10001]),
    ('○', &[0, 0b01110, 0b10001, 0b10001, 0b10001, 0b01110]),
    ('•', &[0, 0, 0b01110, 0b01110, 0b01110]),
    ('›', &[0, 0b01000, 0b00100, 0b00010, 0b00100, 0b01000]),
    ('‹', &[0, 0b00010, 0b00100, 0b01000, 0b00100, 0b00010]),
    ('»', &[0, 0b10100, 0b01010, 0b00101, 0b01010, 0b10100]),
    ('«', &[0, 0b00101, 0b01010, 0b10100, 0b01010, 0b00101]),
    ('…', &[0, 0, 0, 0, 0, 0, 0b10101]),
    ('–', &[0, 0, 0, 0b01110]),
    ('‘', &[0b00010, 0b00100, 0b00100]),
    ('“', &[0b00101, 0b01010, 0b01010]),
    ('”', &[0b01010, 0b01010, 0b10100]),
];

const BOX: u64 = 0x1f8c6318fc00;

/// From the blank to `~`.
#[rustfmt::skip]
const LETTERS: [u64; 95] = [
    0x000000000000, 0x042108401000, 0x0a5280000000, 0x0a57d5f52800, 0x047d1c5f1000, //   ! " # $
    0x19c88889cc00, 0x0c9511593400, 0x042200000000, 0x022210820800, 0x082084222000, // % & ' ( )
    0x00255d520000, 0x00213e420000, 0x000000031100, 0x00003e000000, 0x000000063000, // * + , - .
    0x010888884000, 0x0e8ceb98b800, 0x046108423800, 0x0e8844447c00, 0x1e085c10f800, // / 0 1 2 3
    0x0232a5f10800, 0x1f878218b800, 0x0e843d18b800, 0x1f0888842000, 0x0e8c5d18b800, // 4 5 6 7 8
    0x0e8c5e10b800, 0x006300c60000, 0x006300c22000, 0x022220820800, 0x0007c1f00000, // 9 : ; < =
    0x082082222000, 0x0e8844401000, 0x0e8deb683800, 0x045463f8c400, 0x1e8c7d18f800, // > ? @ A B
    0x0e8c2108b800, 0x1e8c6318f800, 0x1f843d087c00, 0x1f843d084000, 0x0e8c2f18b800, // C D E F G
    0x118c7f18c400, 0x0e2108423800, 0x071084293000, 0x119531494400, 0x108421087c00, // H I J K L
    0x11dd6b18c400, 0x11ce6b39c400, 0x0e8c6318b800, 0x1e8c7d084000, 0x0e8c63593400, // M N O P Q
    0x1e8c7d494400, 0x0f841c10f800, 0x1f2108421000, 0x118c6318b800, 0x118c62a51000, // R S T U V
    0x118c6b5dc400, 0x118a88a8c400, 0x118a88421000, 0x1f0888887c00, 0x0e4210843800, // W X Y Z [
    0x108208208400, 0x0e1084213800, 0x045440000000, 0x0000000003e0, 0x082000000000, // \ ] ^ _ `
    0x000382f8bc00, 0x1087a318f800, 0x0003e1083c00, 0x010be318bc00, 0x0003a3f83c00, // a b c d e
    0x064790842000, 0x0003e318bc2e, 0x1087a318c400, 0x040308423800, 0x020184210a4c, // f g h i j
    0x1084a98a4800, 0x0c2108423800, 0x0006ab5ad400, 0x0007a318c400, 0x0003a318b800, // k l m n o
    0x0007a318fa10, 0x0003e318bc21, 0x0005b3084000, 0x0003e0e0f800, 0x084790841800, // p q r s t
    0x00046318bc00, 0x000462a51000, 0x00046b5aa800, 0x000454454400, 0x00046318bc2e, // u v w x y
    0x0007c4447c00, 0x062110421800, 0x042108421000, 0x0c2104423000, 0x00026b200000, // z { | } ~
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_that_their_codes_name() {
        let drawn = |letter: char| -> Vec<String> {
            let dot =
                |row: u64, bit: u32| if row >> (WIDTH - 1 - bit) & 1 == 1 { '#' } else { '.' };
            rows(letter).iter().map(|&row| (0..WIDTH).map(|bit| dot(row, bit)).collect()).collect()
        };
        assert_eq!(
            drawn('L')[2..9],
            ["#....", "#....", "#....", "#....", "#....", "#....", "#####"]
        );
        assert_eq!(drawn('y')[9..], ["....#", ".###."], "it hangs below the foot");
        assert_eq!(rows(' '), [0; ABOVE + ROWS]);
        assert_eq!(rows('木'), rows('\u{7f}'), "both are boxes");
        let all: std::collections::BTreeSet<_> = (' '..='~').map(rows).collect();
        assert_eq!(all.len(), 95, "no two are alike");
    }

    #[test]
    fn letters_with_accents_are_the_letters_and_the_accents() {
        assert_eq!(rows('É')[2..], rows('E')[2..]);
        assert_eq!(rows('É')[..2], rows('Á')[..2]);
        assert_eq!(rows('é')[4..], rows('e')[4..]);
        assert_eq!((rows('é')[2..4].to_vec(), rows('e')[2..4].to_vec()), (vec![2, 4], vec![0, 0]));
        assert_eq!(rows('í')[4..], rows('i')[4..]);
        assert_ne!(rows('ç')[9..], rows('c')[9..]);
        // What is no letter of its own falls back on a box; nothing else does.
        let missing = rows('木');
        for letter in ACCENTS.iter().flat_map(|a| a.letters.chars()) {
            assert_ne!(rows(letter), missing, "{letter}");
        }
        let all: Vec<char> = ACCENTS
            .iter()
            .flat_map(|a| a.letters.chars().step_by(2))
            .chain(SIGNS.iter().map(|(sign, _)| *sign))
            .chain(' '..='~')
            .collect();
        let drawn: std::collections::BTreeSet<_> = all.iter().map(|&c| rows(c)).collect();
        assert_eq!(drawn.len(), all.len(), "no two are alike");
    }
}
