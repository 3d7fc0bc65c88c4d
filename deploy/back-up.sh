#!/bin/sh
# Usage: back-up.sh FOLDER [DAYS]. Writes a backup and the list of erasures into the folder, then deletes backups
# that are older than DAYS (14). A failure deletes nothing.
set -eu
umask 077
folder=${1:?name the folder of the backups}
days=${2:-14}
workforce backup "$folder/workforce-$(date -u +%Y%m%dT%H%M%SZ).backup"
workforce people erasures --export "$folder/erasures.ndjson"
find "$folder" -maxdepth 1 -type f -name 'workforce-*.backup' -mtime "+$days" -delete
