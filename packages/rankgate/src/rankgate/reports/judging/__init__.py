"""What is said of judges: how far they agree, and how far a model judge is to be trusted."""
