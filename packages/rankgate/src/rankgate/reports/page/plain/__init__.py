"""What pages say without their script, as escaped markup."""
