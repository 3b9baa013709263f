#!/bin/bash
# run.sh DICTD
#
# Makes a dictionary of words.txt, and serves it in clear, twice: to all, and to who
# logs in. Without a locale of UTF-8 dictd compares octets.
set -eu
export LC_ALL=C.UTF-8
cd "${OWN}"
"${UNPACKED}/usr/bin/dictfmt" -c5 --quiet --utf8 --allchars --columns 0 --without-time -u https://example.org/words -s 'Words "for" tests' words <words.txt >/dev/null
exec "$1" -dnodetach --config "${OWN}/dictd.conf" --listen-to "${BIND}" --port "${PORT}" --pid-file "${OWN}/pid" --limit 100 --locale C.UTF-8
