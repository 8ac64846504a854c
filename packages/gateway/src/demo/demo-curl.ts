import { percentEncode } from '@counterfoil/signing'

/** A request, and the key that signs it. */
export interface CurlRequest {
  readonly reportUrl: string
  readonly login: string
  readonly privateKeyFile: string
  /** JSON. */
  readonly body: string
}

/**
 * Writes a shell line that signs a request with openssl and sends it with curl. Every paste has a new timestamp and
 * nonce. No argument holds a secret, only the name of the key's file. docs/signing.md explains the steps.
 */
export function curlLine({ reportUrl, login, privateKeyFile, body }: CurlRequest): string {
  const signed = [
    ['oauth_consumer_key', percentEncode(login)],
    ['oauth_nonce', '$n'],
    ['oauth_signature_method', 'RSA-SHA256'],
    ['oauth_timestamp', '$t'],
    ['oauth_version', '1.0'],
  ]
  const parameters = signed.map(([name, value]) => `${name}=${value}`).join('&')
  // The shell's variables stay unencoded. They contain only digits and letters.
  const encoded = percentEncode(parameters).replaceAll('%24', '$')
  const header = [...signed, ['oauth_signature', '$s']].map(([name, value]) => {
    return `${name}=\\"${value}\\"`
  })
  const authorization = [
    't=$(date +%s)',
    'n=$(openssl rand -hex 16)',
    `s=$(printf %s "POST&${percentEncode(reportUrl)}&${encoded}" |` +
      ` openssl dgst -sha256 -sign ${quoted(privateKeyFile)} | openssl base64 -A |` +
      " sed 's/+/%2B/g; s|/|%2F|g; s/=/%3D/g')",
    `printf %s "OAuth ${header.join(', ')}"`,
  ].join('; ')
  return (
    `curl -sS ${quoted(reportUrl)} -H 'Content-Type: application/json'` +
    ` -H "Authorization: $(${authorization})" -d ${quoted(body)}`
  )
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
