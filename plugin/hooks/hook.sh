# Tidemark's hook: hands the event on stdin to the daemon and prints the daemon's answer if it is whole.
# It cannot redact, so it writes nothing: whatever fails goes to dist/hook.cjs. It always exits 0.
# POSIX sh. What is read from stdin stands only in pipes, never in an argument, a file or a command line.

[ "${TIDEMARK_NESTED-}" = 1 ] && exit 0
trap 'exit 0' EXIT
[ -w /dev/null ] && exec 2>/dev/null

version=0.1.0
newline='
'

# Seconds the daemon has to answer, so that hook.cjs still fits into the budget (src/hook/budget.ts holds the table).
case ${1-} in
  SessionStart) limit=1.1 ;;
  UserPromptSubmit) limit=0.18 ;;
  Stop | SubagentStop | PreCompact | SessionEnd) limit=0.05 ;;
  *) limit= ;;
esac
# A machine slower than the budgets were made for may grant every answer more seconds.
[ -n "$limit" ] && limit=${TIDEMARK_ANSWER_S:-$limit}

# One identity for both ways of delivery. The kernel gives one without a process; elsewhere pid, session and time do.
attempt=
[ -r /proc/sys/kernel/random/uuid ] && read -r attempt </proc/sys/kernel/random/uuid
if [ -z "$attempt" ]; then
  session=${CLAUDE_CODE_SESSION_ID-}
  case $session in *[!A-Za-z0-9-]* | ?????????????????????????????????????????*) session= ;; esac
  attempt=pid-$$-$PPID-$(date +%s)-${RANDOM-0}-$session
fi

home=${TIDEMARK_HOME:-${HOME-}/.tidemark}

# Uninstalled while this session was open. One that starts has the plugin again.
[ -e "$home/uninstalled" ] && [ "${1-}" != SessionStart ] && exit 0

# The first line of a file, into `line`; a last line without its newline counts.
first_line() {
  line=
  [ -r "$1" ] && IFS= read -r line <"$1"
}

tell() {
  [ "${1-}" = SessionStart ] && printf '{"systemMessage":"%s"}\n' "$2"
}

# The Node client: redacts, spools, starts the daemon. Reads the event from stdin; $2 says how the socket fared.
fall_back() {
  client=${0%/*}/../dist/hook.cjs
  if ! [ -f "$client" ]; then
    first_line "$home/program"
    client=$line/hook.cjs
  fi
  if ! [ -f "$client" ]; then
    tell "$1" 'Tidemark: its program files are missing, so nothing is remembered. Run `npm start` in its folder, or `tidemark repair`.'
    return
  fi
  first_line "$home/node"
  case $line in /*) [ -x "$line" ] || line=node ;; *) line=node ;; esac
  if ! command -v "$line" >/dev/null; then
    tell "$1" 'Tidemark: no Node was found, so nothing is remembered. Install Node 22.13 or newer, then run `tidemark repair`.'
    return
  fi
  NODE_OPTIONS= "$line" "$client" "$1" "$attempt" "$2" && return
  tell "$1" 'Tidemark: this Node cannot run it, so nothing is remembered. Install Node 22.13 or newer, then run `tidemark repair`.'
}

socket=
if [ -n "$limit" ] && ! [ -e "$home/run/leave-alone" ] && command -v curl >/dev/null && PATH= printf ''; then
  first_line "$home/run/socket"
  [ -S "$line" ] && [ -O "$line" ] && socket=$line
fi
if [ -z "$socket" ]; then
  fall_back "${1-}" unsent
  exit 0
fi

case ${CLAUDE_PROJECT_DIR-} in
  '' | *"$newline"*) more= ;;
  *) more="project-dir: $CLAUDE_PROJECT_DIR$newline" ;;
esac
# The plugin's folder is known from $0: not every agent sets CLAUDE_PLUGIN_ROOT.
case $0 in
  *"$newline"*) ;;
  /*/hooks/hook.sh) more="${more}program: ${0%/hooks/hook.sh}/dist$newline" ;;
esac
[ "${CLAUDE_CODE_SESSION_ATTENDED-}" = 0 ] && more="${more}unattended: 1$newline"

body=$(cat)
answer=$(
  printf 'attempt: %s\nclient: %s\n%s\n%s' "$attempt" "$version" "$more" "$body" |
    curl -q -f -sS --noproxy '*' -H Expect: -H 'Content-Type: application/x-tidemark-hook' \
      --max-time "$limit" --unix-socket "$socket" --data-binary @- "http://localhost/v1/hook/$1"
)
status=$?
if [ "$status" -ne 0 ]; then
  printf '%s' "$body" | fall_back "$1" "$status"
  exit 0
fi

# Accepted. Only what looks like one whole JSON object is printed: the client injects anything else as plain text.
case $answer in
  *"$newline"*) ;;
  '{"'*'}') printf '%s\n' "$answer" ;;
esac
exit 0
