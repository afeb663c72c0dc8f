//! The field names of a struct that a type contains. A deserializer without data follows a path through the type and
//! reads the names from the call of serde's derived code.

use std::cell::Cell;

use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::PathStep;

type Names = &'static [&'static str];

/// The fields of the struct at this path; empty if there is no struct.
pub(super) fn field_names<T: DeserializeOwned>(path: &[PathStep]) -> Names {
    let found = Cell::new(Names::default());
    // Always an error: there is no data.
    drop(T::deserialize(Probe { path, found: &found }));
    found.get()
}

#[derive(Clone, Copy)]
struct Probe<'a> {
    path: &'a [PathStep],
    found: &'a Cell<Names>,
}

impl<'a> Probe<'a> {
    /// The name of the next field and the probe of its value.
    fn field(self) -> Option<(&'a str, Self)> {
        match self.path.split_first()? {
            (PathStep::Field(name), path) => Some((name, Self { path, ..self })),
            (PathStep::Item, _) => None,
        }
    }
}

fn end() -> Error {
    Error::custom("no data")
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(end())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: Names,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.path.is_empty() {
            self.found.set(fields);
            return Err(end());
        }
        self.deserialize_map(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let (name, value) = self.field().ok_or_else(end)?;
        visitor.visit_map(OneField { name: Some(name), value })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.path.split_first() {
            Some((PathStep::Item, path)) => visitor.visit_seq(OneItem(Some(Self { path, ..self }))),
            _ => Err(end()),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct enum identifier ignored_any
    }
}

struct OneField<'a> {
    name: Option<&'a str>,
    value: Probe<'a>,
}

impl<'de> MapAccess<'de> for OneField<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.name.take().map(|name| seed.deserialize(StrDeserializer::new(name))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(self.value)
    }
}

struct OneItem<'a>(Option<Probe<'a>>);

impl<'de> SeqAccess<'de> for OneItem<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.0.take().map(|probe| seed.deserialize(probe)).transpose()
    }
}
