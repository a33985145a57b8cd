"""Two systems on the same queries: is the difference more than chance, and how large may it really be?

`paired` collects the differences by group, `subsets` draws what both the test and the interval rest on,
`compare` puts everything into one result. Nothing here knows reports, gates or corpora.
"""
