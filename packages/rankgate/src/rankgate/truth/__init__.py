"""What is relevant to what: judgments, the locations they name, their anchors, lint and mending."""
