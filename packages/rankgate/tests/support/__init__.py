"""What tests and benchmarks share: builders, servers, corpora, samples and oracles."""
