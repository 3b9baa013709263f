#!/bin/bash
# run.sh TINYPROXY
#
# Becomes two of the given program: one for everybody, one that wants a login.
set -eu
"$1" -d -c "${OWN}/auth.conf" &
exec "$1" -d -c "${OWN}/open.conf"
