"""`python -m balance` is the `balance` command."""

from balance.cli.app import main

if __name__ == "__main__":
    main()
