//! Rows as JSON.

use std::ops::{Deref, DerefMut, Index};

use rusqlite::Row as SqlRow;
use rusqlite::types::ValueRef;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::error::Result;

/// One row as JSON: the column names are the keys, in their order.
///
/// A column that a statement does not have reads as null: one wrong name must not end all calls of a process.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row(Map<String, Value>);

impl Row {
    /// Reads a row. A column named `is_…` is a boolean, one named `…_json` is embedded without that ending. A text that
    /// is not UTF-8 is shown with U+FFFD, a BLOB likewise.
    pub(super) fn read(row: &SqlRow) -> Result<Row> {
        let statement: &rusqlite::Statement = row.as_ref();
        let mut object = Map::with_capacity(statement.column_count());
        for index in 0..statement.column_count() {
            let mut name = statement.column_name(index)?;
            let is_json = name.ends_with("_json");
            name = name.trim_end_matches("_json");
            let value = match row.get_ref(index)? {
                ValueRef::Null => Value::Null,
                // What is no JSON was written by another program.
                ValueRef::Text(bytes) if is_json => serde_json::from_slice(bytes).unwrap_or_default(),
                ValueRef::Integer(number) if name.starts_with("is_") => Value::Bool(number != 0),
                ValueRef::Integer(number) => Value::from(number),
                ValueRef::Real(number) => Value::from(number),
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned().into(),
            };
            object.insert(name.to_owned(), value);
        }
        Ok(Row(object))
    }

    /// The text in a column, and an empty one for NULL.
    pub fn text(&self, column: &str) -> &str {
        self[column].as_str().unwrap_or_default()
    }

    /// The whole number in a column, and 0 for NULL.
    pub fn number(&self, column: &str) -> i64 {
        self[column].as_i64().unwrap_or_default()
    }

    /// Puts a value under a key of the object in a column; where there is no object, nothing is put.
    pub fn put(&mut self, column: &str, key: &str, value: impl Into<Value>) {
        if let Some(object) = self.0.get_mut(column).and_then(Value::as_object_mut) {
            object.insert(key.to_owned(), value.into());
        }
    }

    /// Whether a column is true.
    pub fn is(&self, column: &str) -> bool {
        self[column] == Value::Bool(true)
    }
}

impl Deref for Row {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Row {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Index<&str> for Row {
    type Output = Value;

    fn index(&self, column: &str) -> &Value {
        self.0.get(column).unwrap_or(&Value::Null)
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl From<Row> for Map<String, Value> {
    fn from(row: Row) -> Self {
        row.0
    }
}

impl From<Row> for Value {
    fn from(row: Row) -> Self {
        Value::Object(row.0)
    }
}
