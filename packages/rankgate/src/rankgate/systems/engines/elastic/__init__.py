"""OpenSearch and Elasticsearch, which speak one language."""
