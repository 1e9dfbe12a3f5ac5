"""The processor: compiled loops shared among threads, the same bits for any number of them."""
