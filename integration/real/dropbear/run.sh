#!/bin/bash
# run.sh DROPBEAR
#
# Makes the key of the server, if it is not there, and becomes dropbear, which leaves SFTP to the
# server of OpenSSH.
set -eu
dropbear=$1
dropbearkey="${UNPACKED}/usr/bin/dropbearkey"
[ -e "${OWN}/host_key" ] || "$dropbearkey" -t ed25519 -f "${OWN}/host_key" >/dev/null
exec "$dropbear" -F -E -p "${BIND}:${PORT}" -r "${OWN}/host_key" -P "${OWN}/pid" -w -c "${UNPACKED}/usr/lib/openssh/sftp-server"
