#!/bin/bash
# run.sh SSHD
#
# Makes the key of the server, if it is not there, and becomes sshd, which wants a directory of its
# own that is nobody's.
set -eu
sshd=$1
keygen="${UNPACKED}/usr/bin/ssh-keygen"
[ -e "${OWN}/host_key" ] || "$keygen" -q -t ed25519 -N '' -C host_key -f "${OWN}/host_key"
mkdir -p /run/sshd
exec "$sshd" -D -e -f "${OWN}/sshd_config"
