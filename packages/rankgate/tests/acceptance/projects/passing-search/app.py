WORDS = {"keys.md#Rotation": "replace", "keys.md#Revocation": "revoke", "webhooks.md#Retries": "failed"}


def search(query, k):
    return [name for name, words in WORDS.items() if set(words.split()) & set(query.split())][:k]
