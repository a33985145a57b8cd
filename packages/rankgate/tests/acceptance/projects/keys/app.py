R = {"rotate": ["keys.md#Rotation"], "leaked": ["keys.md#Revocation"], "retry": ["webhooks.md#Retries"]}


def search(query, k):
    return R.get(query, [])
