/** Bytes that are sent to the port of a server. */
export interface HttpCase {
  readonly name: string
  /** What is written to the connection. `host`: the listener's own `Host`. */
  bytes(host: string): string | Buffer
  /** `refused`: answered with a status of 4xx or 501 at most, or by closing. `any`: never 500. */
  readonly expect: 'refused' | 'any'
  /** The server has no reason to answer, because the request is not complete. */
  readonly incomplete?: true
}

const CRLF = '\r\n'

/** A request with these lines; `Connection: close` makes its end visible. */
function request(first: string, lines: readonly string[], body = ''): string {
  return [first, ...lines, 'Connection: close', '', body].join(CRLF)
}

function get(target: string, host: string, lines: readonly string[] = []): string {
  return request(`GET ${target} HTTP/1.1`, [`Host: ${host}`, ...lines])
}

function post(target: string, host: string, lines: readonly string[], body: string): string {
  return request(
    `POST ${target} HTTP/1.1`,
    [`Host: ${host}`, 'Content-Type: application/json', ...lines],
    body,
  )
}

const HIDDEN = 'POST /handoffs HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'

const SMUGGLING: readonly HttpCase[] = [
  ['length and chunked', ['Content-Length: 6', 'Transfer-Encoding: chunked'], `0\r\n\r\n${HIDDEN}`],
  ['chunked and length', ['Transfer-Encoding: chunked', 'Content-Length: 4'], `5c\r\n${HIDDEN}\r\n0\r\n\r\n`],
  ['two lengths', ['Content-Length: 2', 'Content-Length: 40'], `{}${HIDDEN}`],
  ['a list of lengths', ['Content-Length: 2, 40'], `{}${HIDDEN}`],
  ['a signed length', ['Content-Length: +2'], '{}'],
  ['a negative length', ['Content-Length: -2'], '{}'],
  ['a length in hex', ['Content-Length: 0x2'], '{}'],
  ['a length that is not a number', ['Content-Length: two'], '{}'],
  ['a length above what a number holds', ['Content-Length: 99999999999999999999'], '{}'],
  ['a space before the colon', ['Content-Length : 2'], '{}'],
  ['chunked twice', ['Transfer-Encoding: chunked, chunked'], `0\r\n\r\n${HIDDEN}`],
  ['chunked in other letters', ['Transfer-Encoding: xchunked'], `0\r\n\r\n${HIDDEN}`],
  ['identity and a length', ['Transfer-Encoding: identity', 'Content-Length: 2'], `{}${HIDDEN}`],
  ['a folded header', ['Transfer-Encoding:', ' chunked'], `0\r\n\r\n${HIDDEN}`],
  ['a chunk size that is not a number', ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'],
  ['a chunk size above what a number holds', ['Transfer-Encoding: chunked'], 'ffffffffffffffffff\r\n{}\r\n'],
  ['a chunk shorter than stated', ['Transfer-Encoding: chunked'], '1\r\n{}\r\n0\r\n\r\n'],
].map(([name, lines, body]) => ({
  name: `body framing: ${name}`,
  bytes: (host) => post('/handoffs/validate', host, lines as string[], body as string),
  expect: 'refused' as const,
}))

const LINES: readonly HttpCase[] = [
  { name: 'line: nothing', bytes: () => '\r\n\r\n', expect: 'any', incomplete: true },
  { name: 'line: no version', bytes: () => 'GET /\r\n\r\n', expect: 'refused' },
  { name: 'line: version 9.9', bytes: () => 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', expect: 'refused' },
  { name: 'line: another protocol', bytes: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', expect: 'refused' },
  { name: 'line: TLS', bytes: () => Buffer.from('16030100a5010000a1030300', 'hex'), expect: 'refused' },
  { name: 'line: SSH', bytes: () => 'SSH-2.0-OpenSSH_9.2\r\n', expect: 'refused' },
  { name: 'line: bytes above 127', bytes: () => Buffer.alloc(2000, 0xff), expect: 'refused' },
  { name: 'line: zeros', bytes: () => Buffer.alloc(2000), expect: 'refused' },
  {
    name: 'line: bare line feeds',
    bytes: (host) => `GET /handoffs HTTP/1.1\nHost: ${host}\n\n`,
    expect: 'any',
  },
  {
    name: 'line: bare returns',
    bytes: (host) => `GET /handoffs HTTP/1.1\rHost: ${host}\r\r`,
    expect: 'refused',
  },
  {
    name: 'line: a request in the target',
    bytes: (host) => get('/health HTTP/1.1\r\nX: y\r\n\r\nGET /handoffs', host),
    expect: 'any',
  },
  {
    name: 'line: 100,000 characters',
    bytes: (host) => get(`/${'a'.repeat(100_000)}`, host),
    expect: 'refused',
  },
  { name: 'headers: no Host', bytes: () => request('GET /handoffs HTTP/1.1', []), expect: 'refused' },
  {
    name: 'headers: 3,000',
    bytes: (host) =>
      get(
        '/handoffs',
        host,
        Array.from({ length: 3000 }, (_, at) => `X-${at}: ${at}`),
      ),
    expect: 'any',
  },
  {
    name: 'headers: one of 100 kB',
    bytes: (host) => get('/handoffs', host, [`X: ${'a'.repeat(100_000)}`]),
    expect: 'refused',
  },
  {
    name: 'headers: a zero in a value',
    bytes: (host) => get('/handoffs', host, ['X: a\0b']),
    expect: 'refused',
  },
  {
    name: 'headers: a name with a space',
    bytes: (host) => get('/handoffs', host, ['X Y: a']),
    expect: 'refused',
  },
  {
    name: 'headers: prototype names',
    bytes: (host) => get('/handoffs', host, ['__proto__: a', 'constructor: b', 'hasOwnProperty: c']),
    expect: 'any',
  },
  {
    name: 'pipeline: a second request unasked',
    bytes: (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n${get('/handoffs', host)}`,
    expect: 'any',
  },
  {
    name: 'incomplete: half of a header',
    bytes: (host) => `GET /handoffs HTTP/1.1\r\nHost: ${host}\r\nX`,
    expect: 'any',
    incomplete: true,
  },
  {
    name: 'incomplete: half of a body',
    bytes: (host) =>
      `POST /handoffs/validate HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":`,
    expect: 'any',
    incomplete: true,
  },
]

/** Signs of another origin, of a proxy, or of a name that was bound to loopback. */
const ORIGINS: readonly HttpCase[] = [
  ...[
    'evil.example',
    'localhost',
    '127.0.0.1',
    '127.0.0.1:1',
    '[::1]',
    '0.0.0.0',
    '127.0.0.1.nip.io',
    '',
  ].map(
    (host): HttpCase => ({ name: `host: ${host}`, bytes: () => get('/handoffs', host), expect: 'refused' }),
  ),
  { name: 'host: two', bytes: (host) => get('/handoffs', host, [`Host: ${host}`]), expect: 'refused' },
  {
    name: 'host: another in the target',
    bytes: (host) => get('http://evil.example/handoffs', host),
    expect: 'refused',
  },
  {
    name: 'host: CONNECT',
    bytes: (host) => request('CONNECT evil.example:80 HTTP/1.1', [`Host: ${host}`]),
    expect: 'refused',
  },
  {
    name: 'host: HTTP/1.0',
    bytes: (host) => request('GET /handoffs HTTP/1.0', [`Host: ${host}`]),
    expect: 'refused',
  },
  ...[
    'Forwarded: for=1.2.3.4',
    'Via: 1.1 x',
    'X-Real-IP: 1.2.3.4',
    'X-Forwarded-For: 127.0.0.1',
    'CF-Connecting-IP: 1.2.3.4',
    'True-Client-IP: 1.2.3.4',
    'X-Client-IP: 1.2.3.4',
    'X-Forwarded-Host: x',
    'X-Forwarded-Proto: https',
  ].map(
    (line): HttpCase => ({
      name: `proxy: ${line}`,
      bytes: (host) => get('/handoffs', host, [line]),
      expect: 'refused',
    }),
  ),
  ...['null', 'http://evil.example', 'http://127.0.0.1:1', 'file://', 'chrome-extension://x'].map(
    (origin): HttpCase => ({
      name: `origin: ${origin}`,
      bytes: (host) => get('/handoffs', host, [`Origin: ${origin}`]),
      expect: 'refused',
    }),
  ),
  ...[
    'Bearer x',
    'Bearer',
    'Basic eDp5',
    `Bearer ${'x'.repeat(8000)}`,
    'bearer \u00e9',
    'Bearer x, Bearer y',
  ].map(
    (value): HttpCase => ({
      name: `credential: ${value.slice(0, 20)}`,
      bytes: (host) => get('/handoffs', host, [`Authorization: ${value}`]),
      expect: 'refused',
    }),
  ),
]

const PATHS: readonly HttpCase[] = [
  '/handoffs/../../etc/passwd',
  '/handoffs/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '/handoffs/..%5c..%5cx',
  '//etc/passwd',
  '/handoffs/%00',
  '/handoffs/%',
  '/handoffs/%zz',
  '/handoffs/%c0%ae',
  '/handoffs/%ff',
  '/handoffs//',
  '/./handoffs/x',
  '/handoffs;x=1',
  '/HANDOFFS',
  '/handoffs/__proto__',
  '/handoffs/constructor',
  '/handoffs/%F0%9F%92%A5',
  '/docs/../../package.json',
  '/skills/../../package.json',
  '/assets/..%2f..%2fpackage.json',
  '/.git/config',
  '/workspace/../owner/claim',
  '*',
  '?',
  '/handoffs?project=/etc',
  '/handoffs?project=/proc/self',
  '/handoffs?project=%00',
  `/handoffs?${'a=1&'.repeat(1000)}`,
  '/handoffs?__proto__[x]=1',
  '/handoffs?limit=1e999',
  '/handoffs?limit=-1',
].map((target) => ({
  name: `target: ${target.slice(0, 40)}`,
  bytes: (host: string) => get(target, host),
  expect: 'any' as const,
}))

const BODIES: readonly HttpCase[] = [
  ...['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip', 'x'].map(
    (encoding): HttpCase => ({
      name: `encoding: ${encoding}`,
      bytes: (host) =>
        post('/handoffs/validate', host, [`Content-Encoding: ${encoding}`, 'Content-Length: 2'], '{}'),
      expect: 'refused',
    }),
  ),
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-7',
    '',
  ].map(
    (type): HttpCase => ({
      name: `media type: ${type}`,
      bytes: (host) =>
        request(
          'POST /handoffs/validate HTTP/1.1',
          [`Host: ${host}`, `Content-Type: ${type}`, 'Content-Length: 2'],
          '{}',
        ),
      expect: 'any',
    }),
  ),
  ...(
    [
      '{',
      '[',
      '"',
      '{"a":',
      '[[',
      '{"__proto__":{"x":1}}',
      '{"record":',
      '\u0000',
      '\ufeff{}',
      'nul',
      '1e999',
      '"\\ud800"',
      '',
    ] as const
  ).flatMap((text) =>
    [1, 20_000].map((times): HttpCase => {
      const body = text.repeat(times)
      return {
        name: `body: ${JSON.stringify(text)} × ${times}`,
        bytes: (host) =>
          post('/handoffs/validate', host, [`Content-Length: ${Buffer.byteLength(body)}`], body),
        expect: 'any',
      }
    }),
  ),
  {
    name: 'body: expects to be asked for',
    bytes: (host) => post('/handoffs/validate', host, ['Expect: 100-continue', 'Content-Length: 2'], '{}'),
    expect: 'any',
  },
  {
    name: 'body: an unknown expectation',
    bytes: (host) => post('/handoffs/validate', host, ['Expect: tea', 'Content-Length: 2'], '{}'),
    expect: 'refused',
  },
  {
    name: 'body: an upgrade',
    bytes: (host) =>
      get('/handoffs', host, ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x']),
    expect: 'any',
  },
]

/** Every case for a port, in no order. */
export const HTTP_CASES: readonly HttpCase[] = [...SMUGGLING, ...LINES, ...ORIGINS, ...PATHS, ...BODIES]
