# Creates the master key and the passwords of compose.yaml, unless they exist.
# Usage: sh create-secrets.sh FOLDER. The folder must have the subfolders gateway, postgres and clickhouse.
set -eu
umask 077
cd "$1"

# The last file to be written.
[ ! -s gateway/master-1.key ] || exit 0

password() {
  head -c 24 /dev/urandom | od -An -v -tx1 | tr -d ' \n'
}

hash() {
  printf %s "$1" | sha256sum | cut -d ' ' -f 1
}

admin=$(password)
store=$(password)
ledger=$(password)

printf %s "$admin" >postgres/admin-password
printf %s "$store" >postgres/password
printf %s "$store" >gateway/postgres-password
printf %s "$ledger" >gateway/clickhouse-password
cat >clickhouse/secrets.xml <<XML
<clickhouse>
  <counterfoil_hash>$(hash "$ledger")</counterfoil_hash>
</clickhouse>
XML
head -c 32 /dev/urandom | base64 >gateway/master-1.key
