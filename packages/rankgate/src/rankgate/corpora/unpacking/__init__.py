"""Archives unpacked: tar and zip, trusted in nothing that they say of themselves."""
