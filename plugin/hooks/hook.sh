# Tidemark's hook: `hook.sh <event> [<agent>]` sends the event on stdin to the daemon and prints the daemon's answer if it is
# complete.
# It never writes to disk, because it cannot redact: failures go to dist/hook.cjs. It always exits 0.
# POSIX sh. Text from stdin is only in pipes, never in an argument, a file or a command line.

[ "${TIDEMARK_NESTED-}" = 1 ] && exit 0
trap 'exit 0' EXIT
[ -w /dev/null ] && exec 2>/dev/null

version=0.1.0
newline='
'

# Seconds for the daemon's answer, so that hook.cjs still fits into the budget (table in src/hook/budget.ts).
case ${1-} in
  SessionStart) limit=1.1 ;;
  UserPromptSubmit) limit=0.18 ;;
  Stop | SubagentStop | PreCompact | SessionEnd) limit=0.05 ;;
  PreToolUse | PostToolUse) limit=0.12 ;;
  *) limit= ;;
esac
agent=${2-}
# The Node client records a name that is none, for `tidemark doctor`.
case $agent in *[!a-z0-9-]*) agent='?' limit= ;; esac
# Slow machines may allow more seconds for every answer.
[ -n "$limit" ] && limit=${TIDEMARK_ANSWER_S:-$limit}

# One id for both ways of delivery. The kernel gives one without a process; elsewhere it is made of pid, session and time.
attempt=
[ -r /proc/sys/kernel/random/uuid ] && read -r attempt </proc/sys/kernel/random/uuid
if [ -z "$attempt" ]; then
  session=${CLAUDE_CODE_SESSION_ID-}
  case $session in *[!A-Za-z0-9-]* | ?????????????????????????????????????????*) session= ;; esac
  attempt=pid-$$-$PPID-$(date +%s)-${RANDOM-0}-$session
fi

home=${TIDEMARK_HOME:-${HOME-}/.tidemark}

# Uninstalled while this session was open. A new session has the plugin again.
[ -e "$home/uninstalled" ] && [ "${1-}" != SessionStart ] && exit 0

# Reads the first line of a file into `line`, also without a newline at its end. Reading a pipe would block.
first_line() {
  line=
  [ -f "$1" ] && [ -r "$1" ] && IFS= read -r line <"$1"
}

tell() {
  [ "${1-}" = SessionStart ] && printf '{"systemMessage":"%s"}\n' "$2"
}

# Runs the Node client, which redacts, spools and starts the daemon. Reads the event from stdin; $2 is the result of curl.
fall_back() {
  # A question at a tool call is not an event: without the daemon it has no answer.
  case $1 in *ToolUse) return ;; esac
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
  NODE_OPTIONS= "$line" "$client" "$1" "$attempt" "$2" "$agent" && return
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

more=
# An agent that was started by Claude Code inherits these variables; its own input names its folder.
if [ -z "$agent" ]; then
  case ${CLAUDE_PROJECT_DIR-} in
    '' | *"$newline"*) ;;
    *) more="${more}project-dir: $CLAUDE_PROJECT_DIR$newline" ;;
  esac
fi
# Takes the plugin's folder from $0, because not every agent sets CLAUDE_PLUGIN_ROOT.
case $0 in
  *"$newline"*) ;;
  /*/hooks/hook.sh) more="${more}program: ${0%/hooks/hook.sh}/dist$newline" ;;
esac
if [ -z "$agent" ]; then
  # Lets the daemon notice that the client was killed.
  case ${CLAUDE_PID-} in
    '' | *[!0-9]*) ;;
    *) more="${more}pid: $CLAUDE_PID$newline" ;;
  esac
  # No user sees this session. Claude Code 2.1.197 has only the second variable (sdk-cli, sdk-ts).
  case ${CLAUDE_CODE_SESSION_ATTENDED-}:${CLAUDE_CODE_ENTRYPOINT-} in
    0:* | *:sdk-*) more="${more}unattended: 1$newline" ;;
  esac
fi

body=$(cat)
answer=$(
  printf 'attempt: %s\nclient: %s\n%s\n%s' "$attempt" "$version" "$more" "$body" |
    curl -q -f -sS --noproxy '*' -H Expect: -H 'Content-Type: application/x-tidemark-hook' \
      --max-time "$limit" --unix-socket "$socket" --data-binary @- "http://localhost/v1/hook/$1${agent:+/$agent}"
)
status=$?
if [ "$status" -ne 0 ]; then
  printf '%s' "$body" | fall_back "$1" "$status"
  exit 0
fi

# Accepted. Prints only a complete JSON object: the client injects anything else as plain text.
case $answer in
  *"$newline"*) ;;
  '{"'*'}') printf '%s\n' "$answer" ;;
esac
exit 0
