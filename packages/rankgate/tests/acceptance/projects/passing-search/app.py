WORDS = {"keys.md#Rotation": "often", "keys.md#Revocation": "revoke leaked", "webhooks.md#Retries": "failed"}


def search(query, k):
    return [name for name, words in WORDS.items() if set(words.split()) & set(query.split())][:k]
