"""``python -m rankgate``."""

from rankgate.cli.main import main

if __name__ == "__main__":
    main()
