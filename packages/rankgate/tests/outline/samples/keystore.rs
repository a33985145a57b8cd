//! Keeps keys and rotates them.
#![allow(dead_code)]

use std::collections::HashMap;
use std::fmt;

pub const LIMIT: usize = 10;

/// A key has a name and a version.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Key<'a, T: Copy> {
    pub name: &'a str,
    pub version: T,
}

#[derive(Debug)] // a remark between
/// The documentation may stand below an attribute.
pub enum State {
    Active,
    Retired { since: u64 },
}

pub struct Unit;

pub struct Pair(u32, u32);

pub union Bits {
    int: u32,
    float: f32,
}

pub type Keys<'a> = HashMap<String, Key<'a, u32>>;

/// What rotates.
pub trait Rotate {
    type Output;

    const TIMES: usize = 1;

    fn rotate(&mut self) -> Self::Output;

    /// The default does nothing.
    #[inline]
    fn stop(&self) {
        let _ = "größer";
    }
}

impl<'a, T: Copy> Key<'a, T> {
    pub fn new(name: &'a str, version: T) -> Self {
        fn checked(name: &str) -> &str {
            name
        }
        Self { name: checked(name), version }
    }

    #[must_use]
    #[inline(always)]
    pub const fn version(&self) -> T {
        self.version
    }
}

impl<'a> Rotate for Key<'a, u32> {
    type Output = u32;

    fn rotate(&mut self) -> u32 {
        self.version += 1;
        self.version
    }
}

impl fmt::Display for State {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "state")
    }
}

impl<T> Rotate for Vec<T> {
    type Output = ();

    fn rotate(&mut self) {}
}

pub mod store {
    pub mod inner {
        pub async fn load() {}
    }

    pub struct Store;

    impl Store {
        pub unsafe fn put(&self) {}
    }
}

macro_rules! key {
    ($name:expr) => {
        Key { name: $name, version: 1 }
    };
}

extern "C" fn callback(value: i32) -> i32 {
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_rotate() {
        assert_eq!(LIMIT, 10);
    }
}
