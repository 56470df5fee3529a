import type { IncomingMessage } from 'node:http'

/** Headers that proxies add to a request. A program that calls this machine's own server sends none of them. */
const PROXY_HEADERS: readonly RegExp[] = [
  /^(forwarded|via|client-ip|true-client-ip|cdn-loop|x-host|x-remote-(ip|addr)|x-nginx-proxy)$/,
  /^x-(forwarded|original|real|client|cluster|proxy|envoy|azure|appengine|amzn|arr|vercel|scheme)(-|$)/,
  /^(cf|fly|fastly|proxy|wl-proxy)-/,
]

/** Reports whether a request shows any sign of a proxy: HTTP/1.0, a header that proxies add, or a target that is not a path. */
export function passedProxy({ headers, httpVersion, url = '' }: IncomingMessage): boolean {
  return (
    httpVersion !== '1.1' ||
    !url.startsWith('/') ||
    Object.keys(headers).some((header) => PROXY_HEADERS.some((sign) => sign.test(header)))
  )
}
