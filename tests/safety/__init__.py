"""Hostile text in every field, and nginx reads what was meant: the printed configuration judged by an independent reader."""
