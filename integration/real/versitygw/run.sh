#!/bin/bash
# run.sh VERSITYGW
#
# The bucket is the directory pub of the data. What versitygw knows about objects beside their
# content would be extended attributes, which not every file system has: a directory of its own
# has them.
set -eu
mkdir -p "${OWN}/metadata"
export ROOT_ACCESS_KEY=fetch ROOT_SECRET_KEY='s3cret@:/'
exec "$1" --quiet --port "${BIND}:${PORT}" --region eu-west-1 posix --sidecar "${OWN}/metadata" "${DIR}/data"
