"""Documents of every kind, read into passages."""
