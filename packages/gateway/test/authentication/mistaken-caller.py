"""A caller that makes one mistake in each request, written from the specification with the standard library alone.

Reads {"report", "operation", "login", "controlKey", "privateKey", "rsaLogin"} as JSON from the standard input, and
writes a JSON line for each request: the code of the mistake that it made, and the gateway's answer.
"""

import base64, hashlib, hmac, http.client, json, secrets, subprocess, sys, time
from urllib.parse import quote, quote_plus, urlsplit

settings = json.load(sys.stdin)
LOGIN, KEY = settings['login'], settings['controlKey']
JSON_TYPE, FORM_TYPE = 'application/json', 'application/x-www-form-urlencoded'
REPORT = {'reportIdentifier': 'transactions-list', 'reportFormat': 'CSV', 'filters': {'gates': [1, 2]}}
FORM = [
    ('client_orderid', '902B4FF5'),
    ('amount', '10.42'),
    ('currency', 'EUR'),
    ('order_desc', "Tea & 'biscuits' (2)! é ~ 50% *"),
    ('destination-card-no', '9001000000000000'),
]


def encode(text):
    return quote(text, safe='')


def hmac_sha1(key, digest=hashlib.sha1):
    key = key if isinstance(key, bytes) else key.encode()
    return lambda text: hmac.new(key, text, digest).digest()


def rsa(*arguments):
    command = ['openssl', 'dgst', *arguments, '-sign', settings['privateKey']]
    return lambda text: subprocess.run(command, input=text, capture_output=True, check=True).stdout


def by_name_and_value(pairs):
    return sorted(pairs)


def send(
    url=None, signed_url=None, method='POST', body=None, content_type=None, form=None, signed=None,
    header=(), signed_header=(), left_out=(), not_signed=(), encode_name=encode, encode_value=encode, encode_part=encode,
    sort=by_name_and_value, join='&'.join, sign=hmac_sha1(KEY + '&'), signature_text=None, encode_header=encode,
    login=LOGIN, signature_method='HMAC-SHA1', timestamp=None, scheme='OAuth', realm=None, sent_query='', line_end='',
):
    """Signs and sends a request. Each mistake passes one argument."""
    if form is not None:
        url = url or settings['operation']
        content_type = content_type or FORM_TYPE
        body = body if body is not None else '&'.join(f'{encode(name)}={encode(value)}' for name, value in form)
    else:
        url = url or settings['report']
        content_type = content_type or JSON_TYPE
        body = body if body is not None else json.dumps(REPORT)
    oauth = [
        ('oauth_consumer_key', login),
        ('oauth_nonce', secrets.token_hex(16)),
        ('oauth_signature_method', signature_method),
        ('oauth_timestamp', str(timestamp or int(time.time()))),
        ('oauth_version', '1.0'),
        *header,
    ]
    sent_header = [pair for pair in oauth if pair[0] not in left_out]
    pairs = [pair for pair in oauth if pair[0] not in not_signed] + list(signed_header)
    pairs += form or [] if signed is None else signed
    encoded = [(encode_name(name), encode_value(value)) for name, value in pairs]
    parameter_string = '&'.join(f'{name}={value}' for name, value in sort(encoded))
    base_string = join([encode_part(part) for part in (method, signed_url or url, parameter_string)]) + line_end
    signature = (signature_text or base64.b64encode)(sign(base_string.encode())).decode()
    values = sent_header + [('oauth_signature', signature)]
    authorization = f'{scheme} ' + ('' if realm is None else f'realm="{realm}", ')
    authorization += ', '.join(f'{name}="{encode_header(value)}"' for name, value in values)
    target = urlsplit(url)
    connection = http.client.HTTPConnection(target.hostname, target.port, timeout=60)
    headers = {'Authorization': authorization, 'Content-Type': content_type}
    connection.request('POST', target.path + sent_query, body.encode(), headers)
    return connection.getresponse().read().decode()


def url(change):
    return dict(signed_url=change(settings['report']))


host = urlsplit(settings['report']).netloc
path = urlsplit(settings['report']).path
members = [(name, value if isinstance(value, str) else str(value)) for name, value in REPORT.items()]
spaced = [('a', 'x y')]
rsa_login = dict(login=settings['rsaLogin'], signature_method='RSA-SHA256')

MISTAKES = [
    # What was signed.
    ('json-members-signed', dict(signed=members)),
    ('json-text-signed', dict(signed=[('body', json.dumps(REPORT))])),
    ('form-not-signed', dict(form=FORM, signed=[])),
    ('query-not-signed', dict(sent_query='?lang=en')),
    ('empty-dropped', dict(form=[*FORM, ('purpose', '')], signed=FORM)),
    ('duplicates-dropped', dict(form=[('a', '1'), ('a', '2')], signed=[('a', '2')])),
    ('line-end-in-form', dict(form=[('a', '1')], body='a=1\n')),
    ('byte-order-mark', dict(form=[('a', '1')], body='\ufeffa=1')),
    ('plus-not-encoded', dict(form=[('a', '1+2')], body='a=1+2')),
    ('sent-encoded-twice', dict(form=spaced, body='a=x%2520y')),
    ('spelling-mixed', dict(form=[('order-desc', 'a')], body='order_desc=a')),
    ('version-not-signed', dict(not_signed=['oauth_version'])),
    ('version-not-sent', dict(left_out=['oauth_version'])),
    ('realm-signed', dict(realm='shop', signed_header=[('realm', 'shop')])),
    ('token-not-sent', dict(signed_header=[('oauth_token', '')])),
    ('token-not-signed', dict(header=[('oauth_token', '')], not_signed=['oauth_token'])),
    ('signature-signed', dict(signed_header=[('oauth_signature', '')])),
    ('body-hash-not-signed', dict(
        header=[('oauth_body_hash', base64.b64encode(hashlib.sha256(json.dumps(REPORT).encode()).digest()).decode())],
        not_signed=['oauth_body_hash'],
    )),
    # Encoding.
    ('encoding-plus-for-space', dict(form=FORM, encode_value=lambda text: quote_plus(text, safe=''))),
    ('encoding-marks-left', dict(form=FORM, encode_value=lambda text: quote(text, safe="!'()*"))),
    ('encoding-slash-left', dict(encode_part=quote)),
    ('encoding-tilde-encoded', dict(form=FORM, encode_value=lambda text: encode(text).replace('~', '%7E'))),
    ('encoding-twice', dict(form=FORM, encode_value=lambda text: encode(encode(text)))),
    ('encoding-none', dict(form=FORM, encode_value=str)),
    ('encoding-charset', dict(form=FORM, encode_value=lambda text: quote(text.encode('latin-1'), safe=''))),
    # Order.
    ('order-unsorted', dict(form=FORM, sort=list)),
    ('order-after-joining', dict(form=[('a-b', '2'), ('a', '1')], sort=lambda pairs: sorted(pairs, key='='.join))),
    ('order-case-insensitive', dict(
        form=[('order_desc', 'a'), ('Amount', '1'), ('a', '2')],
        sort=lambda pairs: sorted(pairs, key=lambda pair: pair[0].lower()),
    )),
    ('order-by-name-only', dict(form=[('a', '2'), ('a', '1')], sort=lambda pairs: sorted(pairs, key=lambda pair: pair[0]))),
    # URL.
    ('url-scheme', url(lambda text: text.replace('http:', 'https:'))),
    ('url-port-left-out', url(lambda text: text.replace(host, host.split(':')[0]))),
    ('url-host', url(lambda text: text.replace('127.0.0.1', 'localhost'))),
    ('url-trailing-slash', url(lambda text: text + '/')),
    ('url-path-case', url(lambda text: text.replace(path, path.upper().lower()) if path != path.lower() else text.upper())),
    ('url-path-only', url(lambda text: path)),
    ('url-base-path', url(lambda text: text.replace(path, path[path.index('/', 1):]))),
    ('url-with-query', dict(sent_query='?a=1', signed_url=settings['report'] + '?a=1')),
    # Method and text.
    ('method-lower-case', dict(method='post')),
    ('method-other', dict(method='GET')),
    ('base-string-line-end', dict(line_end='\n')),
    ('base-string-not-encoded', dict(encode_part=str)),
    ('base-string-joined', dict(join=''.join)),
    # Key and algorithm.
    ('key-without-ampersand', dict(sign=hmac_sha1(KEY))),
    ('key-with-line-end', dict(sign=hmac_sha1(KEY + '\n&'))),
    ('key-with-space', dict(sign=hmac_sha1(KEY + ' &'))),
    ('key-in-quotes', dict(sign=hmac_sha1('"' + KEY + '"&'))),
    ('key-case', dict(sign=hmac_sha1((KEY.lower() if KEY != KEY.lower() else KEY.upper()) + '&'))),
    ('key-empty', dict(sign=hmac_sha1('&'))),
    ('key-login', dict(sign=hmac_sha1(LOGIN + '&'))),
    ('key-repeated', dict(sign=hmac_sha1(KEY + '&' + KEY))),
    ('hmac-swapped', dict(sign=lambda text: hmac_sha1(text)((KEY + '&').encode()))),
    ('sha1-without-hmac', dict(sign=lambda text: hashlib.sha1(text + KEY.encode()).digest())),
    ('hmac-other-hash', dict(sign=hmac_sha1(KEY + '&', hashlib.sha256))),
    ('signature-hex', dict(signature_text=lambda digest: digest.hex().encode())),
    ('rsa-sha1', dict(sign=rsa('-sha1'), **rsa_login)),
    ('rsa-pss', dict(sign=rsa('-sha256', '-sigopt', 'rsa_padding_mode:pss'), **rsa_login)),
    ('rsa-of-hash', dict(sign=lambda text: rsa('-sha256')(hashlib.sha256(text).hexdigest().encode()), **rsa_login)),
    ('form-not-signed', dict(form=FORM, signed=[], sign=rsa('-sha256'), **rsa_login)),
    # Header and time.
    ('header-scheme', dict(scheme='Bearer')),
    ('header-encoding', dict(encode_header=str)),
    ('consumer-unknown', dict(login='nobody')),
    ('signature-method', dict(signature_method='HMAC-SHA256')),
    ('method-not-used', dict(login=settings['rsaLogin'], sign=rsa('-sha256'))),
    ('timestamp-unit', dict(timestamp=int(time.time() * 1000))),
    ('timestamp-local-time', dict(timestamp=int(time.time()) + 7200)),
    ('timestamp-range', dict(timestamp=int(time.time()) - 1000)),
    ('body-hash-mismatch', dict(header=[('oauth_body_hash', base64.b64encode(hashlib.sha256(b'').digest()).decode())])),
    ('json-as-form', dict(content_type=FORM_TYPE, url=settings['operation'])),
]

for code, mistake in MISTAKES:
    print(json.dumps({'code': code, 'answer': send(**mistake)}))
print(json.dumps({'code': None, 'answer': send()}))
