"""Golden exports: what each version wrote, to be verified and served again for ever."""
