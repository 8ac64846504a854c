import { percentEncode, type Signed } from '@counterfoil/signing'
import type { PlainRequest } from './sign-draft.ts'

/** The variables of the environment that a program reads, as the command `counterfoil` does. */
export const CONTROL_KEY = 'COUNTERFOIL_CONTROL_KEY'
export const PRIVATE_KEY_FILE = 'COUNTERFOIL_PRIVATE_KEY_FILE'

/**
 * Writes a program for bash that signs a request afresh with each run, and sends it with curl. A run changes only the
 * nonce, the timestamp and the signature, so all other text is literal. The key is no part of the program.
 */
export function curlProgram(
  { method, url, contentType, body }: PlainRequest,
  { authorization, baseString, oauthParameters, signature }: Signed,
): { readonly source: string; readonly isRsa: boolean } {
  const value = (name: string) => percentEncode(new Map(oauthParameters).get(name) ?? '')
  const [nonce, timestamp] = [value('oauth_nonce'), value('oauth_timestamp')]
  const isRsa = value('oauth_signature_method') === 'RSA-SHA256'
  const signedText = withVariables(baseString, '%26', [
    ['oauth_nonce%3D', percentEncode(nonce), '$nonce'],
    ['oauth_timestamp%3D', percentEncode(timestamp), '$timestamp'],
  ])
  const header = withVariables(authorization, ',', [
    ['oauth_nonce="', nonce, '$nonce'],
    ['oauth_signature="', percentEncode(signature), '$(encode "$signature")'],
    ['oauth_timestamp="', timestamp, '$timestamp'],
  ])
  const sign = isRsa
    ? `openssl dgst -sha256 -sign "$${PRIVATE_KEY_FILE}"`
    : `hmac_sha1 "$(encode "$${CONTROL_KEY}")&"`
  // Not every HTTP client encodes what a person typed.
  const target = `${bashLiteral(method.toUpperCase())} ${bashLiteral(new URL(url).href)}`
  const type = contentType === undefined ? [] : ['-H', bashLiteral(`Content-Type: ${contentType}`)]
  const data = body === undefined ? [] : ['--data-raw', bashLiteral(body)]
  const lines = [
    ENCODE,
    ...(isRsa ? [] : [HMAC]),
    'nonce=$(openssl rand -hex 16)',
    'timestamp=$(date +%s)',
    `base_string=${signedText}`,
    `signature=$(printf %s "$base_string" | ${sign} | openssl base64 -A)`,
    `header=${header}`,
    [`curl -sS -i --globoff -X ${target} -H "Authorization: $header"`, ...type, ...data].join(' '),
  ]
  return { source: `${lines.join('\n')}\n`, isRsa }
}

const ENCODE = String.raw`#!/usr/bin/env bash
encode() {
  local LC_ALL=C text=$1 at character
  for ((at = 0; at < ${'${#text}'}; at++)); do
    character=${'${text:at:1}'}
    case $character in
      [A-Za-z0-9._~-]) printf %s "$character" ;;
      *) printf '%%%02X' $(($(printf %d "'$character") & 255)) ;;
    esac
  done
}`

const HMAC = String.raw`# HMAC-SHA1 by hand: as an argument of openssl, the key would be in the list of processes.
hmac_sha1() {
  local key at byte inner= outer=
  key=$(printf %s "$1" | od -An -v -tx1 | tr -d ' \n')
  if ((${'${#key}'} > 128)); then key=$(printf %s "$1" | openssl dgst -sha1 | sed 's/.* //'); fi
  for ((at = 0; at < 128; at += 2)); do
    byte=$((16#0${'${key:at:2}'}))
    inner+=$(printf '\\x%02x' $((byte ^ 0x36)))
    outer+=$(printf '\\x%02x' $((byte ^ 0x5c)))
  done
  { printf "$outer"; { printf "$inner"; cat; } | openssl dgst -sha1 -binary; } | openssl dgst -sha1 -binary
}`

/** Quotes a text for bash, with variables in place of some values. The names are in order, each after a separator. */
function withVariables(
  text: string,
  separator: string,
  variables: readonly (readonly [name: string, value: string, variable: string])[],
): string {
  let [quoted, rest] = ['', text]
  for (const [name, value, variable] of variables) {
    const at = rest.indexOf(separator + name + value) + separator.length + name.length
    quoted += `${bashLiteral(rest.slice(0, at))}"${variable}"`
    rest = rest.slice(at + value.length)
  }
  return quoted + bashLiteral(rest)
}

/** Characters that are invisible, or reverse the text around them. */
const UNSAFE =
  /[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

function bashLiteral(text: string): string {
  if (text.search(UNSAFE) === -1) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = text
    .replace(/['\\]/g, '\\$&')
    .replace(UNSAFE, (character) => percentEncode(character).replaceAll('%', '\\x'))
  return `$'${escaped}'`
}
