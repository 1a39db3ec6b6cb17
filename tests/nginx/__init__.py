"""Does nginx accept what we say, and behave? Real nginx, real sockets, real TLS."""
