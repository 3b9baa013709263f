#!/bin/bash
# run.sh SNNTPD
#
# Makes a spool with the articles of data/news and serves it through tcpserver, a
# process for each connection. sn numbers from 10 on, and in the order of arrival.
set -eu
if [ "$(id -u)" != 0 ]; then
	echo "needs root, to become user news" >&2
	exit 1
fi
snntpd=$1
export SNROOT="${OWN}/spool" PATH="${UNPACKED}/usr/sbin:${UNPACKED}/usr/bin:$PATH"
rm -rf "$SNROOT"
mkdir -p "$SNROOT"
chown -R news:news "${OWN}"
as_news() { setpriv --reuid news --regid news --clear-groups "$@"; }
while IFS=$'\t' read -r group about; do
	as_news snnewgroup "$group"
	printf '%s\n' "$about" >"$SNROOT/$group/.info"
done <"${DIR}/data/news/newsgroups"
as_news snprimedb -i
for group in test.misc test.binaries test.secret; do
	for file in $(find "${DIR}/data/news/$group" -name '[0-9]*' -type f | sort -V); do
		# The cross-posted one is there already.
		if [ "$group/${file##*/}" != test.binaries/1 ]; then
			LC_ALL=C sed 's/^\./../; s/$/\r/' "$file"
			printf '.\r\n'
		fi
	done
done | as_news snstore
exec setpriv --reuid news --regid news --clear-groups tcpserver -HRl0 -c 200 "${BIND}" "${PORT}" "$snntpd"
