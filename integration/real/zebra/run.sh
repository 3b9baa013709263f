#!/bin/bash
# run.sh ZEBRASRV
#
# Indexes the records, in which field 001 is the docid, and becomes two servers of them: one
# for everybody, one that wants a login.
set -eu
zebraidx=${1/zebrasrv/zebraidx}
modules=$(echo "${UNPACKED}"/usr/lib/*/idzebra-2.0/modules)
mkdir -p "${OWN}/tab"
sed 's/^elm 008/elm 001 Doc-id !:u,!:w,Local-number:w\n&/' "${UNPACKED}/usr/share/idzebra-2.0/tab/usmarc.abs" >"${OWN}/tab/usmarc.abs"
# A password of Zebra ends at a colon.
echo 'fetch:s3cret@' >"${OWN}/passwd"
index() { # index NAME LINES
	mkdir -p "${OWN}/$1"
	{
		cat "${OWN}/zebra.cfg"
		printf '%s\n' "modulePath: $modules" "register: ${OWN}/$1:20M" "lockDir: ${OWN}/$1" "$2"
	} >"${OWN}/$1.cfg"
	"$zebraidx" -l "${OWN}/$1.log" -c "${OWN}/$1.cfg" init
	"$zebraidx" -l "${OWN}/$1.log" -c "${OWN}/$1.cfg" update "${OWN}/records.mrc"
}
index all 'perm.anonymous: r'
index members "perm.fetch: r
passwd: ${OWN}/passwd"
chown -R nobody "${OWN}"
cd "${OWN}/members"
"$1" -u nobody -l "${OWN}/members.log" -c "${OWN}/members.cfg" "tcp:${BIND}:${AUTHPORT}" &
cd "${OWN}/all"
exec "$1" -u nobody -l "${OWN}/all.log" -c "${OWN}/all.cfg" "tcp:${BIND}:${PORT}"
