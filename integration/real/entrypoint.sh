#!/bin/sh
# entrypoint.sh COMMAND...
#
# What the command in this directory does natively, for a container: writes the
# server's files with every ${NAME} replaced from the environment, adds the
# users, and becomes COMMAND, with the same replaced. Standard input is the
# container's log, because vsftpd says on descriptor 0 what it does not like.
set -eu
names=$(env | sed -n 's/^\([A-Z]*\)=.*/${\1}/p')
cd /fetch/templates
find . -type f ! -name Dockerfile | while read -r f; do
	mkdir -p "/fetch/${f%/*}"
	envsubst "$names" <"$f" >"/fetch/$f"
	case $(head -n 1 "$f") in '#!'*) chmod +x "/fetch/$f" ;; esac
done
[ ! -d /fetch/users ] || sh /fetch/users/add.sh /fetch/users /etc
for word in "$@"; do
	shift
	set -- "$@" "$(printf %s "$word" | envsubst "$names")"
done
exec "$@" 0<>/proc/self/fd/1
