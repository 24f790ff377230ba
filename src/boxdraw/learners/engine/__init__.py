"""One search for drawings: boxes of most weight, less what their limits cost."""
