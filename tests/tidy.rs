//! The rules of the house.
