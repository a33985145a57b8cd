"""Object stores: addresses such as ``s3://bucket/run``, and what may be done to the objects there."""
