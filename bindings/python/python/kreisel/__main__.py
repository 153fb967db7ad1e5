"""``python -m kreisel`` is the program ``kreisel``."""

from .program import main

main()
