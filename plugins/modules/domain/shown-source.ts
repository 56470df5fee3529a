import { plainLine } from './hcl-text.ts'

/** Parameters of a source whose values are not secret. Others may be: `sshkey`, `aws_access_key_secret`, a token of a store. */
const PLAIN_PARAMETERS: ReadonlySet<string> = new Set([
  'ref',
  'depth',
  'archive',
  'checksum',
  'filename',
  'region',
  'version',
  'tag',
  'digest',
])

/**
 * A source or URL that a caller wrote, as messages and reports may show it: one line without the user and password of a URL
 * (the user name of ssh stays) and without the values of parameters that may be secrets.
 */
export function shownSource(text: string): string {
  return plainLine(
    text
      .replace(/([a-z][a-z0-9+.-]*:\/\/)([^/\s]+)@/gi, (whole, scheme: string, user: string) =>
        /^ssh:/i.test(scheme) && !user.includes(':') ? whole : `${scheme}***@`,
      )
      .replace(/([?&])([^=&#\s]*)=([^&#\s]*)/g, (whole, mark: string, name: string) =>
        PLAIN_PARAMETERS.has(name.toLowerCase()) ? whole : `${mark}${name}=***`,
      ),
  )
}
