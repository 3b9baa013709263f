#!/bin/sh
# add.sh USERS ETC
#
# Writes to ETC the machine's passwd, group, shadow and pam.d with the users and
# services of USERS added. The machine's own password hashes are left out.
set -eu
users=$1 etc=$2
umask 022
mkdir -p "$etc/pam.d"
for f in passwd group; do
	{ grep -v -E '^(fetch|ftp|sshd):' "/etc/$f"; cat "$users/$f"; } >"$etc/$f.new"
done
{ sed -e '/^fetch:/d' -e '/^ftp:/d' -e 's/^\([^:]*\):[^:]*:/\1:*:/' /etc/shadow; cat "$users/shadow"; } >"$etc/shadow.new"
chmod 640 "$etc/shadow.new"
for f in passwd group shadow; do mv "$etc/$f.new" "$etc/$f"; done
[ "$etc" = /etc ] || cp -R /etc/pam.d/. "$etc/pam.d"
cp "$users"/pam.d/* "$etc/pam.d"
