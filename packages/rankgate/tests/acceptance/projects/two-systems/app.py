FOUND = {"replace a key": ["rotation", "revocation"], "sign in": ["login", "rotation"]}


def good(query, k):
    return FOUND.get(query, ["retries", "revocation"])


def worse(query, k):
    return good(query, k)[1:]
