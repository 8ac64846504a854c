import { percentEncode, type Signed } from '@counterfoil/signing'
import type { PlainRequest } from './sign-draft.ts'

/** The variables of the environment that a program reads, as the command `counterfoil` does. */
export const CONTROL_KEY = 'COUNTERFOIL_CONTROL_KEY'
export const PRIVATE_KEY_FILE = 'COUNTERFOIL_PRIVATE_KEY_FILE'

/** How each language writes a program that signs a request afresh with each run, and sends it. */
export const LANGUAGES: ReadonlyMap<string, (request: ToSend) => string> = new Map([
  ['curl', curl],
  ['Node', node],
  ['Python', python],
  ['PHP', php],
  ['Java', java],
  ['C#', csharp],
])

function curl({ method, url, contentType, body, isRsa, baseString, header }: ToSend): string {
  return lines(
    '#!/usr/bin/env bash',
    'encode() {',
    '  local LC_ALL=C text=$1 at character',
    '  for ((at = 0; at < ${#text}; at++)); do',
    '    character=${text:at:1}',
    '    case $character in',
    '      [A-Za-z0-9._~-]) printf %s "$character" ;;',
    `      *) printf '%%%02X' $(($(printf %d "'$character") & 255)) ;;`,
    '    esac',
    '  done',
    '}',
    !isRsa && HMAC_IN_BASH,
    'nonce=$(openssl rand -hex 16)',
    'timestamp=$(date +%s)',
    `base_string=${insert(baseString.map(bashLiteral), '"$nonce"', '"$timestamp"')}`,
    `signature=$(printf %s "$base_string" | ${
      isRsa
        ? `openssl dgst -sha256 -sign "$${PRIVATE_KEY_FILE}"`
        : `hmac_sha1 "$(encode "$${CONTROL_KEY}")&"`
    } | openssl base64 -A)`,
    `header=${insert(header.map(bashLiteral), '"$nonce"', '"$(encode "$signature")"', '"$timestamp"')}`,
    `curl -sS -i --globoff -X ${bashLiteral(method)} ${bashLiteral(url)} -H "Authorization: $header"` +
      (contentType === undefined ? '' : ` -H ${bashLiteral(`Content-Type: ${contentType}`)}`) +
      (body === undefined ? '' : ` --data-raw ${bashLiteral(body)}`),
  )
}

const HMAC_IN_BASH = `# HMAC-SHA1 by hand: as an argument of openssl, the key would be in the list of processes.
hmac_sha1() {
  local key at byte inner= outer=
  key=$(printf %s "$1" | od -An -v -tx1 | tr -d ' \\n')
  if ((\${#key} > 128)); then key=$(printf %s "$1" | openssl dgst -sha1 | sed 's/.* //'); fi
  for ((at = 0; at < 128; at += 2)); do
    byte=$((16#0\${key:at:2}))
    inner+=$(printf '\\\\x%02x' $((byte ^ 0x36)))
    outer+=$(printf '\\\\x%02x' $((byte ^ 0x5c)))
  done
  { printf "$outer"; { printf "$inner"; cat; } | openssl dgst -sha1 -binary; } | openssl dgst -sha1 -binary
}`

function node({ method, url, contentType, body, isRsa, baseString, header }: ToSend): string {
  return lines(
    `import { createHmac, randomUUID, sign } from 'node:crypto'`,
    `import { readFileSync } from 'node:fs'`,
    '',
    'const nonce = randomUUID()',
    'const timestamp = Math.floor(Date.now() / 1000)',
    `const baseString = ${join(baseString, 'nonce', 'timestamp')}`,
    ...(isRsa
      ? [
          `const key = readFileSync(process.env.${PRIVATE_KEY_FILE})`,
          `const signature = sign('sha256', Buffer.from(baseString), key).toString('base64')`,
        ]
      : [
          'const encode = (text) =>',
          `  encodeURIComponent(text).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16))`,
          `const key = encode(process.env.${CONTROL_KEY}) + '&'`,
          `const signature = createHmac('sha1', key).update(baseString).digest('base64')`,
        ]),
    `const header = ${join(header, 'nonce', 'encodeURIComponent(signature)', 'timestamp')}`,
    '',
    `const response = await fetch(${literal(url)}, {`,
    `  method: ${literal(method)},`,
    `  headers: { Authorization: header${contentType === undefined ? '' : `, 'Content-Type': ${literal(contentType)}`} },`,
    body !== undefined && `  body: ${literal(body)},`,
    '})',
    'console.log(response.status, await response.text())',
  )
}

function python({ method, url, contentType, body, isRsa, baseString, header }: ToSend): string {
  return lines(
    'import base64, hashlib, hmac, os, secrets, subprocess, time',
    'from urllib.error import HTTPError',
    'from urllib.parse import quote',
    'from urllib.request import Request, urlopen',
    '',
    'nonce = secrets.token_hex(16)',
    'timestamp = str(int(time.time()))',
    `base_string = ${join(baseString, 'nonce', 'timestamp')}`,
    ...(isRsa
      ? [
          "# Python's standard library has no RSA, so openssl signs.",
          `command = ["openssl", "dgst", "-sha256", "-sign", os.environ["${PRIVATE_KEY_FILE}"]]`,
          'signature = subprocess.run(command, input=base_string.encode(), capture_output=True, check=True).stdout',
        ]
      : [
          `key = quote(os.environ["${CONTROL_KEY}"], safe="") + "&"`,
          'signature = hmac.new(key.encode(), base_string.encode(), hashlib.sha1).digest()',
        ]),
    'signature = quote(base64.b64encode(signature), safe="")',
    `header = ${join(header, 'nonce', 'signature', 'timestamp')}`,
    '',
    `request = Request(${literal(url)}, method=${literal(method)}${body === undefined ? '' : `, data=${literal(body)}.encode()`})`,
    'request.add_header("Authorization", header)',
    contentType !== undefined && `request.add_header("Content-Type", ${literal(contentType)})`,
    'try:',
    '    response = urlopen(request)',
    'except HTTPError as error:',
    '    response = error',
    'print(response.status, response.read().decode())',
  )
}

function php({ method, url, contentType, body, isRsa, baseString, header }: ToSend): string {
  const concatenate = (pieces: readonly string[], ...variables: readonly string[]) => {
    return insert(pieces.map(phpLiteral), ...variables.map((variable) => ` . ${variable} . `))
  }
  return lines(
    '<?php',
    '$nonce = bin2hex(random_bytes(16));',
    '$timestamp = time();',
    `$baseString = ${concatenate(baseString, '$nonce', '$timestamp')};`,
    ...(isRsa
      ? [
          `$key = file_get_contents(getenv("${PRIVATE_KEY_FILE}"));`,
          'openssl_sign($baseString, $signature, $key, OPENSSL_ALGO_SHA256);',
        ]
      : [
          `$key = rawurlencode(getenv("${CONTROL_KEY}")) . "&";`,
          '$signature = hash_hmac("sha1", $baseString, $key, true);',
        ]),
    '$signature = rawurlencode(base64_encode($signature));',
    `$header = ${concatenate(header, '$nonce', '$signature', '$timestamp')};`,
    '',
    `$answer = fopen(${phpLiteral(url)}, "r", false, stream_context_create(["http" => [`,
    `    "method" => ${phpLiteral(method)},`,
    `    "header" => ["Authorization: $header"${contentType === undefined ? '' : `, ${phpLiteral(`Content-Type: ${contentType}`)}`}],`,
    body !== undefined && `    "content" => ${phpLiteral(body)},`,
    '    "ignore_errors" => true,',
    ']]));',
    'echo stream_get_meta_data($answer)["wrapper_data"][0], "\\n", stream_get_contents($answer), "\\n";',
  )
}

function java({ method, url, contentType, body, isRsa, baseString, header }: ToSend): string {
  return lines(
    'import java.net.*;',
    'import java.net.http.*;',
    'import java.nio.file.*;',
    'import java.security.*;',
    'import java.security.spec.PKCS8EncodedKeySpec;',
    'import java.util.*;',
    'import javax.crypto.Mac;',
    'import javax.crypto.spec.SecretKeySpec;',
    'import static java.nio.charset.StandardCharsets.UTF_8;',
    '',
    'class Send {',
    '  static String encode(String text) {',
    '    return URLEncoder.encode(text, UTF_8).replace("+", "%20").replace("*", "%2A").replace("%7E", "~");',
    '  }',
    '',
    '  public static void main(String[] arguments) throws Exception {',
    '    String nonce = UUID.randomUUID().toString();',
    '    long timestamp = System.currentTimeMillis() / 1000;',
    `    String baseString = ${join(baseString, 'nonce', 'timestamp')};`,
    ...(isRsa
      ? [
          '    // The key is PKCS#8. "openssl pkcs8 -topk8 -nocrypt -in old.pem -out private.pem" converts PKCS#1.',
          `    String pem = Files.readString(Path.of(System.getenv("${PRIVATE_KEY_FILE}")));`,
          '    byte[] key = Base64.getMimeDecoder().decode(pem.replaceAll("-----.*-----", ""));',
          '    Signature signer = Signature.getInstance("SHA256withRSA");',
          '    signer.initSign(KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(key)));',
          '    signer.update(baseString.getBytes(UTF_8));',
          '    byte[] bytes = signer.sign();',
        ]
      : [
          `    String key = encode(System.getenv("${CONTROL_KEY}")) + "&";`,
          '    Mac mac = Mac.getInstance("HmacSHA1");',
          '    mac.init(new SecretKeySpec(key.getBytes(UTF_8), "HmacSHA1"));',
          '    byte[] bytes = mac.doFinal(baseString.getBytes(UTF_8));',
        ]),
    '    String signature = encode(Base64.getEncoder().encodeToString(bytes));',
    `    String header = ${join(header, 'nonce', 'signature', 'timestamp')};`,
    '',
    `    HttpRequest request = HttpRequest.newBuilder(URI.create(${literal(url)}))`,
    `        .method(${literal(method)}, HttpRequest.BodyPublishers.${body === undefined ? 'noBody()' : `ofString(${literal(body)})`})`,
    '        .header("Authorization", header)',
    contentType !== undefined && `        .header("Content-Type", ${literal(contentType)})`,
    '        .build();',
    '    var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());',
    '    System.out.println(response.statusCode() + " " + response.body());',
    '  }',
    '}',
  )
}

function csharp({ method, url, contentType, body, isRsa, baseString, header }: ToSend): string {
  return lines(
    'using System;',
    'using System.IO;',
    'using System.Net.Http;',
    'using System.Security.Cryptography;',
    'using System.Text;',
    '',
    'var nonce = Guid.NewGuid().ToString();',
    'var timestamp = DateTimeOffset.UtcNow.ToUnixTimeSeconds();',
    `var baseString = Encoding.UTF8.GetBytes(${join(baseString, 'nonce', 'timestamp')});`,
    ...(isRsa
      ? [
          'using var rsa = RSA.Create();',
          `rsa.ImportFromPem(File.ReadAllText(Environment.GetEnvironmentVariable("${PRIVATE_KEY_FILE}")!));`,
          'var bytes = rsa.SignData(baseString, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);',
        ]
      : [
          `var key = Uri.EscapeDataString(Environment.GetEnvironmentVariable("${CONTROL_KEY}")!) + "&";`,
          'using var hmac = new HMACSHA1(Encoding.UTF8.GetBytes(key));',
          'var bytes = hmac.ComputeHash(baseString);',
        ]),
    'var signature = Uri.EscapeDataString(Convert.ToBase64String(bytes));',
    `var header = ${join(header, 'nonce', 'signature', 'timestamp')};`,
    '',
    `using var request = new HttpRequestMessage(new HttpMethod(${literal(method)}), ${literal(url)});`,
    'request.Headers.TryAddWithoutValidation("Authorization", header);',
    body !== undefined &&
      `request.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(${literal(body)}));`,
    contentType !== undefined &&
      `request.Content.Headers.TryAddWithoutValidation("Content-Type", ${literal(contentType)});`,
    'using var client = new HttpClient();',
    'using var response = await client.SendAsync(request);',
    'Console.WriteLine($"{(int)response.StatusCode} {await response.Content.ReadAsStringAsync()}");',
  )
}

/** Joins the lines of a program, without those that the request does not need. */
function lines(...all: readonly (string | false)[]): string {
  return `${all.filter((line) => line !== false).join('\n')}\n`
}

/** Puts expressions between pieces. */
function insert(pieces: readonly string[], ...expressions: readonly string[]): string {
  return pieces.map((piece, at) => piece + (expressions[at] ?? '')).join('')
}

/** Concatenates pieces and variables, as JavaScript, Python, Java and C# do. */
function join(pieces: readonly string[], ...variables: readonly string[]): string {
  return insert(pieces.map(literal), ...variables.map((variable) => ` + ${variable} + `))
}

/** Characters that are invisible, end a line in some language, or reverse the text around them. */
const UNSAFE =
  /[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/** Writes a text in double quotes. JavaScript, Python, Java and C# read it alike. */
function literal(text: string): string {
  return JSON.stringify(text).replace(UNSAFE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** PHP has other escapes, and replaces `$name` by a variable. */
function phpLiteral(text: string): string {
  return literal(text)
    .replace(/\\(?:u(....)|.)/g, (escape, hex) => {
      if (hex !== undefined) return `\\u{${hex}}`
      return escape === '\\b' ? '\\u{8}' : escape
    })
    .replaceAll('$', '\\$')
}

/** Quotes a text as one word of bash. */
function bashLiteral(text: string): string {
  if (text.search(UNSAFE) === -1) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = text
    .replace(/['\\]/g, '\\$&')
    .replace(UNSAFE, (character) => percentEncode(character).replaceAll('%', '\\x'))
  return `$'${escaped}'`
}

/**
 * What a program sends. A run changes only the nonce, the timestamp and the signature, so all other text is literal.
 * The key is no part of it.
 */
export interface ToSend extends PlainRequest {
  readonly isRsa: boolean
  /** The base string before the nonce, between the nonce and the timestamp, and after the timestamp. */
  readonly baseString: readonly string[]
  /** The header before the nonce, between it, the signature and the timestamp, and after the timestamp. */
  readonly header: readonly string[]
}

/** Cuts a signed request where its nonce, timestamp and signature stand. */
export function toSend(request: PlainRequest, signed: Signed): ToSend {
  const value = (wanted: string) => {
    return percentEncode(signed.oauthParameters.find(([name]) => name === wanted)?.[1] ?? '')
  }
  const [nonce, timestamp] = [value('oauth_nonce'), value('oauth_timestamp')]
  return {
    ...request,
    method: request.method.toUpperCase(),
    // Not every HTTP client encodes what a person typed.
    url: new URL(request.url).href,
    isRsa: value('oauth_signature_method') === 'RSA-SHA256',
    baseString: cut(signed.baseString, '%26', [
      `oauth_nonce%3D${percentEncode(nonce)}`,
      `oauth_timestamp%3D${percentEncode(timestamp)}`,
    ]),
    header: cut(signed.authorization, ',', [
      `oauth_nonce="${nonce}`,
      `oauth_signature="${percentEncode(signed.signature)}`,
      `oauth_timestamp="${timestamp}`,
    ]),
  }
}

/** Takes the value of each parameter out of a text. The names are in order, and each follows a separator. */
function cut(text: string, separator: string, parameters: readonly string[]): string[] {
  const pieces: string[] = []
  let rest = text
  for (const parameter of parameters) {
    const at = rest.indexOf(separator + parameter) + separator.length
    const nameLength = parameter.search(/%3D|"/) + (separator === ',' ? 1 : '%3D'.length)
    pieces.push(rest.slice(0, at + nameLength))
    rest = rest.slice(at + parameter.length)
  }
  return [...pieces, rest]
}
