"""What a move costs, measured over real HTTP beside its ceiling: `make bench`."""
