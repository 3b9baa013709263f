#!/bin/bash
# run.sh MOLLY-BROWN
#
# molly-brown listens at every address of the machine. So it has a network of its own, in
# which there is nothing but a loopback, and socat leads from the loopback of the machine
# to there by a Unix socket. It serves as user nobody, who must be able to read the key.
set -eu
if [ "$(id -u)" != 0 ]; then
	echo "needs root, for a network of its own" >&2
	exit 1
fi
molly=$1 socat=${UNPACKED}/usr/bin/socat
cd "${OWN}"
rm -f socket
cp "${DIR}/tls/server.key" "${DIR}/tls/server.crt" .
touch access.log error.log
chown nobody server.key access.log error.log
as_nobody() { setpriv --reuid nobody --regid nogroup --clear-groups "$@"; }
export molly socat
export -f as_nobody
unshare --net bash -euc '
	# SIOCSIFFLAGS: the loopback is up.
	perl -e "socket(S, 2, 2, 0) && ioctl(S, 0x8914, \$_ = pack(q(a16s), q(lo), 0x41)) or die"
	"$socat" UNIX-LISTEN:socket,fork,backlog=128 TCP4:127.0.0.1:${PORT} &
	as_nobody "$molly" -c molly.conf
' &
for _ in $(seq 200); do
	if [ -S socket ]; then break; fi
	sleep 0.05
done
exec "$socat" TCP4-LISTEN:"${PORT}",bind="${BIND}",reuseaddr,fork,backlog=128 UNIX-CONNECT:socket
