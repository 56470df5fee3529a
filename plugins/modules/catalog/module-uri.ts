import type { IndexRecord } from '../output/module-index.ts'

/** The URI of a module version: lossless for any ref or path. */
export function moduleUri({
  repository,
  ref,
  path,
}: Pick<IndexRecord, 'repository' | 'ref' | 'path'>): string {
  return `module://${[repository, ref, path].map(encodeURIComponent).join('/')}`
}
