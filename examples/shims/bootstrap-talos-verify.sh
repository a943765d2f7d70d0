#!/bin/sh
# Stands for the script of the same name: `ichor verify` on the profile beside the Taskfile.
# ICHOR_FLAGS holds further flags, such as -p PROFILE.
set -eu
# shellcheck disable=SC2086 # several flags in one variable
exec ichor verify ${ICHOR_FLAGS:-} "$@"
