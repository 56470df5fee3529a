import { readFile } from 'node:fs/promises'
import { REDOC_START, REDOC_STYLE, SWAGGER_START, SWAGGER_STYLE } from './docs-scripts.ts'
import type { Endpoint, HttpOptions } from './exchange.ts'
import { withoutForeignLogo } from './redoc-logo.ts'
import { refusals } from './refusals.ts'

/** Only our own files and no inline script (toolchain, section 4). */
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; font-src 'self' data:; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const HEADERS = {
  'content-security-policy': CSP,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
}

const HTML = 'text/html; charset=utf-8'
const REDOC = 'redoc.standalone.js'

/** Files of `dist/assets` that the pages load, by URL path. */
const ASSETS: readonly { readonly path: `/${string}`; readonly file: string; readonly type: string }[] = [
  { path: '/docs/swagger-ui.css', file: 'swagger-ui.css', type: 'text/css' },
  { path: '/docs/swagger-ui-bundle.js', file: 'swagger-ui-bundle.js', type: 'text/javascript' },
  { path: '/docs/favicon.png', file: 'favicon-32x32.png', type: 'image/png' },
  { path: '/redoc/redoc.js', file: REDOC, type: 'text/javascript' },
]

const SWAGGER_PAGE = page(
  'API documentation',
  '<link rel="stylesheet" href="docs/swagger-ui.css"><link rel="stylesheet" href="docs/style.css"><script src="docs/swagger-ui-bundle.js" defer></script><script src="docs/start.js" defer></script>',
)
const REDOC_PAGE = page(
  'API reference',
  '<link rel="stylesheet" href="redoc/style.css"><script src="redoc/redoc.js" defer></script><script src="redoc/start.js" defer></script>',
)

/**
 * Returns the endpoints of `/docs` (interactive) and `/redoc` (reference), which load only packaged files. Their
 * addresses are relative: a reverse proxy may serve them below a prefix.
 */
export function docsEndpoints(options: HttpOptions): Endpoint[] {
  return [
    fixed('/docs', HTML, SWAGGER_PAGE),
    fixed('/docs/start.js', 'text/javascript', SWAGGER_START),
    fixed('/docs/style.css', 'text/css', SWAGGER_STYLE),
    fixed('/redoc', HTML, REDOC_PAGE),
    fixed('/redoc/start.js', 'text/javascript', REDOC_START),
    fixed('/redoc/style.css', 'text/css', REDOC_STYLE),
    ...ASSETS.map(({ path, file, type }) => packaged(path, file, type, options)),
  ]
}

function page(title: string, head: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>satchel: ${title}</title><link rel="icon" href="docs/favicon.png">${head}</head>
<body style="margin:0"><div id="page"></div></body>
</html>
`
}

function fixed(path: `/${string}`, type: string, text: string): Endpoint {
  return served(path, type, async () => text)
}

function packaged(path: `/${string}`, file: string, type: string, options: HttpOptions): Endpoint {
  return served(path, type, async () => {
    try {
      const text = await readFile(options.assetPath(file))
      return file === REDOC ? ownRedoc(text) : text
    } catch (cause) {
      throw refusals.assets_missing({ cause })
    }
  })
}

/** Removes the network request from the published program; the packaged copy already lacks it. */
function ownRedoc(program: Buffer): string | Buffer {
  return withoutForeignLogo(program.toString()) ?? program
}

function served(path: `/${string}`, type: string, load: () => Promise<string | Uint8Array>): Endpoint {
  return {
    method: 'GET',
    path,
    guard: 'caller',
    owner: 'host',
    summary: 'Documentation',
    ...(type !== HTML && { asset: true }),
    async serve() {
      const body = await load()
      const headers = { 'content-type': type, 'content-length': String(Buffer.byteLength(body)), ...HEADERS }
      return new Response(body, { headers })
    },
  }
}
