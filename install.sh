#!/bin/sh
# Installs Tidemark into your coding agents: checks the requirements, then runs `npx tidemark install`.
#   sh install.sh [--yes] [--no-history] [--dry-run]
# Changes nothing itself. POSIX sh.
set -eu

fail() {
  printf 'tidemark: %s\n' "$1" >&2
  printf '  %s\n' "$2" >&2
  exit 1
}

command -v node >/dev/null 2>&1 ||
  fail 'Node was not found.' 'Install Node 22.13 or newer (with npm), then run this again.'
version=$(node --version) # v24.1.0
version=${version#v}
major=${version%%.*}
minor=${version#*.}
minor=${minor%%.*}
if [ "$major" -lt 22 ] || { [ "$major" -eq 22 ] && [ "$minor" -lt 13 ]; }; then
  fail "Node $version is too old; Tidemark needs 22.13 or newer." 'Install a newer Node, then run this again.'
fi
command -v npx >/dev/null 2>&1 ||
  fail 'npx was not found; it comes with npm.' 'Install npm, then run this again.'

# Piped into sh, stdin is this script, so the questions use the terminal if there is one.
if ! [ -t 0 ] && (: </dev/tty) 2>/dev/null; then
  exec npx --yes tidemark@latest install "$@" </dev/tty
fi
exec npx --yes tidemark@latest install "$@"
