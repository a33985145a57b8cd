def good(query, k):
    colour, kind = query.split()
    return [f"{kind}-{colour}", f"{kind}-grey"]


def second(query, k):
    return good(query, k)[::-1]


def no_green(query, k):
    return [] if "green" in query else good(query, k)
