import type { ReadYaml } from './yaml-document.ts'

/** As `parseYaml`, whose parser is loaded at the first call. */
export async function readYaml(text: string): Promise<ReadYaml> {
  const { parseYaml } = await import('./yaml-document.ts')
  return parseYaml(text)
}
