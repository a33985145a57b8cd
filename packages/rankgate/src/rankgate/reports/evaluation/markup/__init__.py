"""Parts of a report in GitHub Markdown that comment, job summary and file share."""
