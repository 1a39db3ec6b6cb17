"""Frozen values: what nginx should do, what changed, what came of it. Equality is structural and free."""
