//! Numbers in JSON: non-finite values are the strings "NaN", "Infinity", "-Infinity".

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// An `f64` that survives JSON; use with `#[serde(with = "crate::report::numbers")]`.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Number(*value).serialize(serializer)
}

/// Counterpart of [`serialize`]; also accepts integers.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Number::deserialize(deserializer)?.0)
}

/// Wrapper for values inside maps and lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else if self.0.is_nan() {
            serializer.serialize_str("NaN")
        } else if self.0 > 0.0 {
            serializer.serialize_str("Infinity")
        } else {
            serializer.serialize_str("-Infinity")
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, \"NaN\", \"Infinity\" or \"-Infinity\"")
            }
            fn visit_f64<E>(self, v: f64) -> Result<Number, E> {
                Ok(Number(v))
            }
            fn visit_i64<E>(self, v: i64) -> Result<Number, E> {
                Ok(Number(v as f64))
            }
            fn visit_u64<E>(self, v: u64) -> Result<Number, E> {
                Ok(Number(v as f64))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Number, E> {
                match v {
                    "NaN" => Ok(Number(f64::NAN)),
                    "Infinity" => Ok(Number(f64::INFINITY)),
                    "-Infinity" => Ok(Number(f64::NEG_INFINITY)),
                    other => Err(E::invalid_value(de::Unexpected::Str(other), &self)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// The same of numbers that may be missing.
pub mod optional {
    use super::Number;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(Number).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<f64>, D::Error> {
        Ok(Option::<Number>::deserialize(d)?.map(|n| n.0))
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn non_finite_numbers_survive_json() {
        for x in [1.5, -0.0, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let text = serde_json::to_string(&Number(x)).expect("writes");
            let back: Number = serde_json::from_str(&text).expect("reads");
            assert_eq!(back.0.to_bits(), x.to_bits(), "{text}");
        }
        assert!(serde_json::from_str::<Number>("\"nan\"").is_err());
    }
}
