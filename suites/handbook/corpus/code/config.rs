//! Settings of the worker: from the environment, checked before anything starts.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

/// What is wrong with the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigError {
    /// A variable that must be there is not.
    Missing(&'static str),
    /// A variable has a value that cannot be read.
    Malformed { name: &'static str, value: String },
    /// Values that are right by themselves and do not go together.
    Inconsistent(String),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Missing(name) => write!(f, "{name} is not set"),
            ConfigError::Malformed { name, value } => write!(f, "{name} cannot be {value:?}"),
            ConfigError::Inconsistent(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for ConfigError {}

/// Where settings come from; a map in tests, the process in production.
pub trait Source {
    /// Look a variable up.
    fn get(&self, name: &str) -> Option<String>;
}

impl Source for HashMap<String, String> {
    fn get(&self, name: &str) -> Option<String> {
        HashMap::get(self, name).cloned()
    }
}

/// The environment of this process.
pub struct Environment;

impl Source for Environment {
    fn get(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}

/// Settings of one worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    pub database_url: String,
    pub listen: SocketAddr,
    pub concurrency: usize,
    pub heartbeat: Duration,
    pub abandoned_after: Duration,
    pub drain_timeout: Duration,
}

impl Config {
    /// Read the settings, with the defaults of production for what is not set.
    ///
    /// # Errors
    ///
    /// For what is missing, cannot be read, or does not go together.
    pub fn from_env(source: &impl Source) -> Result<Config, ConfigError> {
        let config = Config {
            database_url: source
                .get("WORKER_DATABASE_URL")
                .ok_or(ConfigError::Missing("WORKER_DATABASE_URL"))?,
            listen: parse(source, "WORKER_LISTEN", "127.0.0.1:9100")?,
            concurrency: parse(source, "WORKER_CONCURRENCY", "32")?,
            heartbeat: seconds(source, "WORKER_HEARTBEAT", "10")?,
            abandoned_after: seconds(source, "WORKER_ABANDONED_AFTER", "30")?,
            drain_timeout: seconds(source, "WORKER_DRAIN_TIMEOUT", "900")?,
        };
        config.validate()?;
        Ok(config)
    }

    /// Check that the values go together.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if self.concurrency == 0 {
            return Err(ConfigError::Inconsistent("concurrency must be at least 1".into()));
        }
        if self.abandoned_after < self.heartbeat * 2 {
            return Err(ConfigError::Inconsistent(
                "a run would be given away after a single late heartbeat".into(),
            ));
        }
        Ok(())
    }

    /// The settings without the password of the database, for the log.
    pub fn redacted(&self) -> Config {
        let mut copy = self.clone();
        if let (Some(scheme), Some(at)) = (copy.database_url.find("://"), copy.database_url.rfind('@')) {
            copy.database_url.replace_range(scheme + 3..at, "***");
        }
        copy
    }
}

fn parse<T: std::str::FromStr>(
    source: &impl Source,
    name: &'static str,
    default: &str,
) -> Result<T, ConfigError> {
    let value = source.get(name).unwrap_or_else(|| default.to_owned());
    value.parse().map_err(|_| ConfigError::Malformed { name, value })
}

fn seconds(source: &impl Source, name: &'static str, default: &str) -> Result<Duration, ConfigError> {
    parse(source, name, default).map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(pairs: &[(&str, &str)]) -> HashMap<String, String> {
        pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[test]
    fn a_missing_database_is_told_by_name() {
        let found = Config::from_env(&source(&[]));
        assert_eq!(found, Err(ConfigError::Missing("WORKER_DATABASE_URL")));
    }

    #[test]
    fn the_password_is_not_shown() {
        let config = Config::from_env(&source(&[("WORKER_DATABASE_URL", "postgres://w:hush@db/ledger")])).unwrap();
        assert_eq!(config.redacted().database_url, "postgres://***@db/ledger");
    }
}
