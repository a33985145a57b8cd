"""What is searched: documents that are pinned by a fingerprint, so that truth about them can be checked."""
