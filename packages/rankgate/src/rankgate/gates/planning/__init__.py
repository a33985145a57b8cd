"""What gates can say before anything is asked, and how often they fail by themselves."""
