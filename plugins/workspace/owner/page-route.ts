import { createHash } from 'node:crypto'
import { PAGE_SCRIPT, PAGE_STYLE } from '../../../generated/owner-page.ts'
import type { Route } from '../../../server/plugin.ts'

/** The whole page in one response, the same for every caller: `/` of the owner port, and for guests beside the routes they call. */
export function pageRoutes(): readonly Route[] {
  const pageAt = (path: Route['path'], listeners: readonly string[]): Route => ({
    method: 'GET',
    path,
    listeners,
    guard: 'open',
    document: { operationId: 'get-workspace-page', summary: 'The page of a guest', mediaType: 'text/html' },
    handle: async () => new Response(PAGE, { headers: HEADERS }),
  })
  return [pageAt('/', ['owner']), pageAt('/workspace/page', ['ingress', 'api', 'mcp'])]
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>satchel room</title>
<link rel="icon" href="data:,">
<style>${PAGE_STYLE}</style>
</head>
<body>
<div id="room"></div>
<noscript>This page needs JavaScript.</noscript>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `script-src '${hashOf(PAGE_SCRIPT)}'`,
    `style-src '${hashOf(PAGE_STYLE)}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`
}
