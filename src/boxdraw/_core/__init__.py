"""What every layer uses and no layer owns: array types, exact sums, threads, compiled code, atomic files, progress."""
