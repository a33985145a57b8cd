"""What adapters share: options, requests, secrets, answers made into hits, failures told in one line."""
