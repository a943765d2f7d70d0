#!/bin/sh
# Stands for the script of the same name: `ichor apply` with the ready-made configs of a folder.
# ICHOR_FLAGS holds further flags, such as -p PROFILE.
set -eu
if [ $# -lt 2 ] || [ $# -gt 3 ]; then
  echo "usage: $0 CONFIG_DIR sequential|parallel [CONCURRENCY]" >&2
  exit 64
fi
# shellcheck disable=SC2086 # several flags in one variable
exec ichor apply --config-dir "$1" --order "$2" ${3:+--concurrency "$3"} ${ICHOR_FLAGS:-}
