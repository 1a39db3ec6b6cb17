"""The nginx room by itself: trees written by hand, a real nginx over them."""
