const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Reports whether what is sent to this URL cannot be read on the way: https, or http to this machine. */
export function isSecureAddress(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}
