"""The tiers: golden and unit need nothing, nginx needs the binary and loopback sockets."""
