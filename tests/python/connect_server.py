"""A server of Spark Connect with the tests' classic session: it prints its address, and ends when
its standard input does, so that none outlives the tests.

    connect_server.py WAREHOUSE JAR,JAR JAVA_OPTIONS
"""

import sys
from pathlib import Path

import sessions


def main() -> None:
    warehouse, jars, java_options = sys.argv[1:]
    given = [Path(jar) for jar in jars.split(",") if jar]
    spark = sessions.classic(Path(warehouse), given, java_options)
    print(sessions.serve(spark), flush=True)
    sys.stdin.read()
    spark.stop()


if __name__ == "__main__":
    main()
