"""`python -m scalegate jar` prints the path of the package's jar, for Spark's `--jars`."""

import argparse
import sys

from scalegate import __version__
from scalegate._errors import ScalegateError
from scalegate._jar import find_jar, spark_of


def main(arguments: list[str] | None = None) -> int:
    """What the command line asks for, printed.

    Parameters
    ----------
    arguments
        Of the command, as in ["jar"]; None takes the program's own.

    Returns
    -------
    int
        The exit status: 0, or 1 where the jar is missing or does not fit, with the reason on
        standard error.

    Examples
    --------
    >>> main(["spark"])
    4...
    0
    """
    parser = argparse.ArgumentParser(
        prog="python -m scalegate", description="scalegate for Spark"
    )
    parser.add_argument("--version", action="version", version=f"scalegate {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    jar = commands.add_parser(
        "jar", help="print the path of the package's jar, for Spark's --jars"
    )
    jar.add_argument(
        "--spark",
        metavar="VERSION",
        help="the Spark that it is for, as 4.2; unless given the installed PySpark's",
    )
    commands.add_parser("spark", help="print the version of Spark that the jar is built for")
    given = parser.parse_args(arguments)
    try:
        if given.command == "jar":
            print(find_jar(given.spark))
        else:
            print(spark_of(find_jar()))
    except ScalegateError as refused:
        print(refused, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
