/** Files that usually hold secrets: `.env`, `.env.local`, keys, credentials. */
export function isSensitivePath(path: string): boolean {
  const name = path.split(/[/\\]/).at(-1) ?? ''
  return /^\.env(?:\.|$)|\.(?:pem|key|p12|pfx)$|^id_(?:rsa|ed25519|ecdsa)$|^\.netrc$|^credentials/i.test(name)
}
