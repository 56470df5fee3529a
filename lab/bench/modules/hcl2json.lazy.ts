import { createRequire } from 'node:module'

interface Hcl2Json {
  readonly parse: (name: string, text: string) => Promise<unknown>
}

/**
 * The reference parser in this thread, for measuring it: `(file name, text) => structure`.
 * Required rather than imported: the package's types bring those of browsers into the whole program.
 */
export function loadReferenceParser(): Hcl2Json['parse'] {
  const require = createRequire(import.meta.url)
  const loaded: Hcl2Json = require('@cdktf/hcl2json')
  return loaded.parse
}
