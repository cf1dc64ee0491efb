"""The memory per launch can reach: buffers, state spaces, layout, and every access checked."""
