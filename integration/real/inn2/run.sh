#!/bin/bash
# run.sh NNRPD
#
# Makes a spool with the articles of data/news and becomes three of the given
# program: one for everybody, one in TLS from the first octet, one that wants a
# login; all as user news, who must be able to read the key. innd fills the spool
# and is gone before the readers begin, which need none. It borrows the port of
# the last one, so that the first does not seem to be there too early.
set -eu
if [ "$(id -u)" != 0 ]; then
	echo "needs root, to become user news" >&2
	exit 1
fi
nnrpd=$1 own="${OWN}" lib="${UNPACKED}/usr/lib/news"
export INNCONF=$own/etc/inn.conf LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
as_news() { setpriv --reuid news --regid news --clear-groups "$@"; }

cp "${DIR}/tls/server.crt" "${DIR}/tls/server.key" "$own/etc/"
cd "$own"
rm -rf db run tmp logs spool
mkdir -p db run tmp logs etc/filter spool/articles spool/overview spool/incoming/bad spool/outgoing spool/archive
printf '%s\n' 'control 0000000000 0000000001 n' 'control.cancel 0000000000 0000000001 n' 'junk 0000000000 0000000001 n' >db/active
for group in "${DIR}"/data/news/*/; do
	printf '%s 0000000000 0000000001 y\n' "$(basename "$group")" >>db/active
done
cp "${DIR}/data/news/newsgroups" db/newsgroups
: >db/active.times
: >db/history
chown -R news:news .
chmod 600 etc/server.key
(cd db && as_news "$lib/bin/makedbz" -i -o -s 1000 -f history)

as_news "$lib/bin/innd" -f &
innd=$!
for try in $(seq 100); do
	if [ -S run/control ]; then break; fi
	sleep 0.05
done
# The cross-posted article comes with test.misc, and is the first of test.binaries.
for group in test.misc test.binaries test.secret; do
	find "${DIR}/data/news/$group" -name '[0-9]*' -type f | sort -V | grep -v test.binaries/1
done >tmp/articles
exec 3<>"/dev/tcp/127.0.0.1/${AUTHPORT}"
IFS= read -r line <&3
while read -r file; do
	id=$(LC_ALL=C sed -n 's/^Message-ID: //p' "$file")
	printf 'IHAVE %s\r\n' "$id" >&3
	IFS= read -r line <&3
	case $line in 335*) ;; *) echo "$id: $line" >&2; continue ;; esac
	LC_ALL=C sed 's/^\./../; s/$/\r/' "$file" >&3
	printf '.\r\n' >&3
	IFS= read -r line <&3
	case $line in 235*) ;; *) echo "$id: $line" >&2 ;; esac
done <tmp/articles
exec 3>&-
as_news "$lib/bin/ctlinnd" -t 5 shutdown filled >/dev/null
wait "$innd" || true # of signal 11, where not all of Perl is there

as_news "$nnrpd" -D -f -n -4 "${BIND}" -p "${TLSPORT}" -S -c readers-open.conf &
as_news "$nnrpd" -D -f -n -4 "${BIND}" -p "${AUTHPORT}" -c readers-auth.conf &
exec setpriv --reuid news --regid news --clear-groups "$nnrpd" -D -f -n -4 "${BIND}" -p "${PORT}" -c readers-open.conf
