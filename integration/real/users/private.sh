#!/bin/sh
# private.sh USERS ETC COMMAND...
#
# Becomes COMMAND with the users of USERS in its /etc, seen by it alone: the
# files in ETC are mounted over the machine's in a mount namespace of its own,
# which ends with the process. It execs all the way, so that the process id is
# the server's. Needs root.
set -eu
users=$1 etc=$2
shift 2
sh "$users/add.sh" "$users" "$etc"
exec unshare -m --propagation private sh -c '
etc=$1
shift
for f in passwd group shadow pam.d; do mount --bind "$etc/$f" "/etc/$f" || exit 97; done
exec "$@"' private.sh "$etc" "$@"
