# Sourced by the set-up scripts: finds a JDK (17 or 21) and a Python (3.10 or later), or says in one
# sentence what to install. PYTHON and JAVA_HOME choose others than the ones on the PATH.

fail() {
  echo "error: $*" >&2
  exit 1
}

# Prints one version from project/Versions.scala, the only place that holds them.
version_of() {
  sed -n "s/^ *val $1 = \"\(.*\)\"/\1/p" "$ROOT/project/Versions.scala"
}

# Prints the release of a minor of Spark, as 4.2.1 for 4.2.
release_of() {
  sed -n 's/^ *val sparks = Seq(\(.*\))/\1/p; s/^ *val sparkWithoutJar = //p' "$ROOT/project/Versions.scala" | tr -d '" ' |
    tr ',' '\n' | grep "^$1\." || true
}

find_java() {
  local java=java
  [ -n "${JAVA_HOME:-}" ] && java="$JAVA_HOME/bin/java"
  command -v "$java" >/dev/null 2>&1 ||
    fail "no Java found ($java): install a JDK 17 or 21 and put its java on the PATH or set JAVA_HOME."
  local spec
  spec=$("$java" -XshowSettings:properties -version 2>&1 |
    sed -n 's/^ *java.specification.version = //p')
  case "$spec" in
    17 | 21) ;;
    *) fail "$java is Java ${spec:-of an unknown version}: install a JDK 17 or 21 and point JAVA_HOME at it." ;;
  esac
  "$java" --list-modules | grep -q '^jdk\.compiler' ||
    fail "$java is a Java runtime without a compiler: install the full JDK $spec and point JAVA_HOME at it."
  JAVA=$java
}

find_python() {
  local candidate
  for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.10}; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; then
      "$candidate" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
        fail "$candidate cannot make virtual environments: install its venv package (python3-venv)."
      PYTHON=$candidate
      return
    fi
  done
  fail "no Python 3.10 or later found (tried: ${PYTHON:-python3 and python3.10 to 3.13}): install one, or set PYTHON to its path."
}
