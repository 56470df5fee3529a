/** A YAML text that was read, or the first problem with its place, from 1. */
type ReadYaml =
  | {
      readonly kind: 'document'
      /** The values. Throws if the text uses more aliases than `maxAliasCount`. */
      values(maxAliasCount: number): unknown
      /** The line of the node at this path; undefined if there is none. */
      lineAt(path: readonly string[]): number | undefined
    }
  | { readonly kind: 'problem'; readonly message: string; readonly line: number; readonly column: number }

/** Reads one YAML document as `parseYaml` does, whose parser is loaded at the first call. */
export async function readYaml(text: string): Promise<ReadYaml> {
  const { parseYaml } = await import('./yaml-document.ts')
  const read = parseYaml(text)
  if (read.kind === 'problem') return read
  const { document, lines } = read
  return {
    kind: 'document',
    values: (maxAliasCount) => document.toJS({ maxAliasCount }),
    lineAt(path) {
      const node: unknown = document.getIn(path, true)
      const range: unknown =
        typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
      const start: unknown = Array.isArray(range) ? range[0] : undefined
      return typeof start === 'number' ? lines.linePos(start).line : undefined
    },
  }
}
