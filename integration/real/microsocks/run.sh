#!/bin/bash
# run.sh MICROSOCKS
#
# Becomes two of the given program: one for everybody, one that wants a login.
set -eu
"$1" -i "${BIND}" -p "${AUTHPORT}" -u fetch -P s3cret@:/ &
exec "$1" -i "${BIND}" -p "${PORT}"
