"""A server with a JSON API as a system; and the client that other adapters over HTTP use."""
